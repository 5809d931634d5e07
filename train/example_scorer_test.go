package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Serve a model over HTTP: one Scorer for all requests.
func ExampleModel_Scorer() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "lvrat", "phist"}
	cfg.Ess = level.At(0.95)
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
	// 422 column "lvrat": the row does not have it (pass nil for a missing value)
}

// Explain a prediction: what every column adds to the log-odds, and which values are unusual.
func ExampleModel_Scorer_explain() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "phist"}
	cfg.Ess = level.At(0.95)
	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := model.Scorer()
	if err != nil {
		log.Fatal(err)
	}
	e, err := scorer.Explain(map[string]any{"pirat": 7.5, "phist": "yes"})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range e.Contributions {
		fmt.Printf("%v %.1f, outside the training range: %v\n", c.Columns, c.Value, c.Outside)
	}
	// Output:
	// [pirat] 19.5, outside the training range: true
	// [phist] 1.2, outside the training range: false
}
