package evaltest

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

type peer struct {
	Overall             map[string]float64            `json:"overall"`
	ByGroup             map[string]map[string]float64 `json:"by_group"`
	GroupMin            map[string]float64            `json:"group_min"`
	GroupMax            map[string]float64            `json:"group_max"`
	Difference          map[string]float64            `json:"difference"`
	DifferenceToOverall map[string]float64            `json:"difference_to_overall"`
	Ratio               map[string]float64            `json:"ratio"`
	RatioToOverall      map[string]float64            `json:"ratio_to_overall"`
}

type fixtureRows struct{ Target, Score, Loss []float64 }

// A Fixture is rows, and what scikit-learn and fairlearn say about them
// (make_fixture.py).
type Fixture struct {
	Threshold  float64                       `json:"threshold"`
	Groupings  map[string][]string           `json:"groupings"`
	Weight     []float64                     `json:"weight"`
	Weighted   map[eval.Task]peer            `json:"weighted"`
	Binary     fixtureRows                   `json:"binary"`
	Regression fixtureRows                   `json:"regression"`
	Expected   map[eval.Task]map[string]peer `json:"expected"`
}

//go:embed fixture.json
var fixtureJSON []byte

// Read reads the fixture.
func Read(t testing.TB) *Fixture {
	var f Fixture
	if err := json.Unmarshal(fixtureJSON, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// groupingOf makes a Grouping of one label a row.
func groupingOf(name string, label []string) encode.Grouping {
	l := slices.Clone(label)
	slices.Sort(l)
	l = slices.Compact(l)
	g := encode.Grouping{Name: name, Labels: l}
	for _, s := range label {
		k, _ := slices.BinarySearch(l, s)
		g.Index = append(g.Index, int32(k))
	}
	return g
}

// Input returns the rows of a task.
func (f *Fixture) Input(task eval.Task) eval.Input {
	rows := f.Regression
	if task == eval.Binary {
		rows = f.Binary
		rows.Target = slices.Clone(rows.Target)
		for i, y := range rows.Target {
			rows.Target[i] = 2*y - 1
		}
	}
	in := eval.Input{Task: task, LossName: "test", Target: rows.Target, TargetName: "y", Split: "hold-out",
		Threshold: &f.Threshold,
		Models:    []eval.Model{{Name: "ERM", Score: rows.Score, Loss: rows.Loss}}}
	for _, name := range []string{"a", "b", "a × b"} {
		in.Groups = append(in.Groups, groupingOf(name, f.Groupings[name]))
	}
	return in
}
