package eval

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever is read is either refused or can be rendered: mutants of a report,
// one node of its JSON replaced at a time.
func TestMutatedReports(t *testing.T) {
	for _, task := range []Task{Binary, Regression} {
		var b bytes.Buffer
		if err := WriteJSON(&b, sample(t, task)); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(11, 1))
		read := 0
		for range *mutantCount {
			var tree any
			if err := json.Unmarshal(b.Bytes(), &tree); err != nil {
				t.Fatal(err)
			}
			mutate(r, tree)
			m, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := ReadReport(bytes.NewReader(m))
			if err != nil {
				continue
			}
			read++
			for _, write := range []func(io.Writer, *Report) error{WriteHTML, WriteMarkdown, WriteJSON} {
				if err := write(io.Discard, rep); err != nil {
					t.Error(err)
				}
			}
		}
		if read < *mutantCount/10 {
			t.Errorf("only %d of %d mutants could be read", read, *mutantCount)
		}
	}
}

var mutantCount = flag.Int("mutants", 60, "mutated reports to try for each task")

// mutate replaces or removes one node on a random path.
func mutate(r *rand.Rand, node any) {
	odd := []any{nil, -1.0, 0.0, 1e300, -1e300, 1e-300, "", []any{}, map[string]any{}, true}
	for {
		var next any
		set := func(any) {}
		switch n := node.(type) {
		case map[string]any:
			if len(n) == 0 {
				return
			}
			keys := slices.Sorted(maps.Keys(n))
			k := keys[r.IntN(len(keys))]
			next, set = n[k], func(v any) { n[k] = v }
		case []any:
			if len(n) == 0 {
				return
			}
			k := r.IntN(len(n))
			next, set = n[k], func(v any) { n[k] = v }
		}
		if _, ok := next.(string); ok || r.IntN(4) == 0 || next == nil {
			set(odd[r.IntN(len(odd))])
			return
		}
		switch next.(type) {
		case map[string]any, []any:
			node = next
		default:
			set(odd[1+r.IntN(5)])
			return
		}
	}
}
