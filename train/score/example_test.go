package score_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

// A service scores the rows of requests with the model of a file, and takes the file anew while it runs.
type service struct {
	model atomic.Pointer[score.Scorer]
}

// load takes the model of a file. After an error the service goes on with the one that it has.
func (s *service) load(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	model, err := score.Read(file)
	if err != nil {
		return err
	}
	s.model.Store(model)
	return nil
}

// ServeHTTP answers a row, an object in JSON, with its probability and in what it differs from the training rows.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var row map[string]any
	if err := json.NewDecoder(r.Body).Decode(&row); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	probability, adapted, err := s.model.Load().MapAdapted(row)
	if err != nil { // a *score.Error, which names the column
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	fmt.Fprintf(w, "%.3f %v", probability, adapted)
}

// trainTo writes a model of denied mortgages to a file. The effective sample size of its adversary is the proportion
// ess of the rows.
func trainTo(path string, ess float64) error {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "lvrat", "phist"}
	cfg.Ess = level.At(ess)
	model, err := train.Fit(context.Background(), cfg)
	if err != nil {
		return err
	}
	return model.Save(path, false)
}

// Serve a model file over HTTP with the standard library and this package only.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.json")
	if err := trainTo(path, 0.95); err != nil { // or by drotrain train
		log.Fatal(err)
	}
	s := &service{}
	if err := s.load(path); err != nil {
		log.Fatal(err)
	}
	for _, body := range []string{
		`{"pirat": 0.33, "lvrat": 0.8, "phist": "no"}`,
		`{"pirat": 7, "lvrat": 0.8, "phist": "unknown"}`,
		`{"pirat": 0.33, "lvrat": 0.8, "phist": "no "}`,
		`{"pirat": 0.33, "phist": "no"}`,
	} {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	if err := os.WriteFile(path, []byte(`{"half": "a file`), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.load(path) != nil, s.model.Load().Inputs())
	// Output:
	// 200 0.201
	// 200 1.000 unseen, outside
	// 422 column "phist": the value "no " differs from the training level "no" only in white space: remove the white space, or rename the level
	// 422 column "lvrat": the row lacks the column (pass nil for a missing value)
	// true [pirat lvrat phist]
}
