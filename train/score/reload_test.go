package score_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Requests during the reload of model files are answered by one of the models, never by a mixture, also if a file is
// damaged (go test -race).
func TestRead_ServesWhileModelsChange(t *testing.T) {
	models := make([][]byte, 2)
	answers := make(map[string]bool)
	path := filepath.Join(t.TempDir(), "model.json")
	s := &service{}
	const row = `{"pirat": 0.4, "lvrat": 0.8, "phist": "no"}`
	ask := func() string {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(row)))
		return fmt.Sprint(answer.Code, " ", answer.Body.String())
	}
	for k, ess := range []float64{0.95, 0.4} {
		if err := trainTo(path, ess); err != nil {
			t.Fatal(err)
		}
		if err := s.load(path); err != nil {
			t.Fatal(err)
		}
		answers[ask()] = true
		var err error
		if models[k], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if len(answers) != 2 {
		t.Fatalf("the models give one answer: %v", answers)
	}
	done := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if got := ask(); !answers[got] {
					t.Errorf("%q is the answer of no model", got)
					return
				}
			}
		})
	}
	for k := range 60 {
		content := models[k%2]
		if k%3 == 2 {
			content = content[:len(content)/2]
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.load(path); (err != nil) != (k%3 == 2) {
			t.Errorf("file %d: %v", k, err)
		}
	}
	close(done)
	clients.Wait()
}
