package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// Serve a model over HTTP: one Scorer for all requests.
func ExampleModel_Scorer() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "lvrat", "phist"}
	cfg.Ess = share(0.95)
	model, err := train.Fit(context.Background(), cfg) // or train.Load("model.json")
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := model.Scorer()
	if err != nil {
		log.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var row map[string]any
		if err := json.NewDecoder(r.Body).Decode(&row); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p, err := scorer.Map(row)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		fmt.Fprintf(w, `{"probability": %.3f}`, p)
	})

	for _, body := range []string{
		`{"pirat": 0.33, "lvrat": 0.8, "phist": "no"}`,
		`{"pirat": 0.33, "lvrat": 0.8, "phist": "yes"}`,
		`{"pirat": 0.33, "phist": "no"}`,
	} {
		answer := httptest.NewRecorder()
		handler(answer, httptest.NewRequest("POST", "/score", strings.NewReader(body)))
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 {"probability": 0.201}
	// 200 {"probability": 0.428}
	// 422 the row has no column "lvrat" (give nil if it is null)
}

// Score a batch of slices into a buffer of one's own; records of Arrow become a table
// by arrowdata.Frame, structs by data.FromStructs.
func ExampleScorer_ScoreTo() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "phist"}
	cfg.Ess = share(0.95)
	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := model.Scorer()
	if err != nil {
		log.Fatal(err)
	}
	ratio, err := data.ColumnOf("pirat", []float64{0.2, 0.33, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	history, err := data.ColumnOf("phist", []string{"no", "no", "yes"})
	if err != nil {
		log.Fatal(err)
	}
	batch, err := data.NewFrame(ratio, history)
	if err != nil {
		log.Fatal(err)
	}
	scores := make([]float64, batch.Rows)
	if err := scorer.ScoreTo(context.Background(), scores, batch); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scores)
	// Output:
	// [0.144 0.194 0.550]
}
