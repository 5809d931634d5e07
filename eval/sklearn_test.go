package eval

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12

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

type fixture struct {
	Threshold  float64                  `json:"threshold"`
	Groupings  map[string][]string      `json:"groupings"`
	Weight     []float64                `json:"weight"`
	Weighted   map[Task]peer            `json:"weighted"`
	Binary     fixtureRows              `json:"binary"`
	Regression fixtureRows              `json:"regression"`
	Expected   map[Task]map[string]peer `json:"expected"`
}

func readFixture(t testing.TB) *fixture {
	b, err := os.ReadFile("testdata/fixture.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// groupingOf makes a Grouping of one label a row.
func groupingOf(name string, label []string) data.Grouping {
	l := slices.Clone(label)
	slices.Sort(l)
	l = slices.Compact(l)
	g := data.Grouping{Name: name, Labels: l}
	for _, s := range label {
		k, _ := slices.BinarySearch(l, s)
		g.Index = append(g.Index, int32(k))
	}
	return g
}

func (f *fixture) input(task Task) Input {
	rows := f.Regression
	if task == Binary {
		rows = f.Binary
		rows.Target = slices.Clone(rows.Target)
		for i, y := range rows.Target {
			rows.Target[i] = 2*y - 1
		}
	}
	in := Input{Task: task, LossName: "test", Target: rows.Target, TargetName: "y", Split: "hold-out", Threshold: &f.Threshold,
		Models: []Model{{Name: "ERM", Score: rows.Score, Loss: rows.Loss}}}
	for _, name := range []string{"a", "b", "a × b"} {
		in.Groups = append(in.Groups, groupingOf(name, f.Groupings[name]))
	}
	return in
}

func same(t *testing.T, what string, got Num, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > closedForm*math.Max(1, math.Abs(want)) || !got.Defined() {
		t.Errorf("%s = %.17g, want %.17g", what, float64(got), want)
	}
}

// Every measure and every summary agrees with scikit-learn and fairlearn.
func TestAgreesWithPeers(t *testing.T) {
	f := readFixture(t)
	for _, task := range []Task{Binary, Regression} {
		e, err := Evaluate(context.Background(), f.input(task))
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, g := range e.Groupings {
			want := f.Expected[task][g.Name]
			for key, x := range want.Overall {
				same(t, g.Name+" overall "+key, e.Models[0].Overall.Of[key], x)
				s := g.Summary[0].Spread[key]
				same(t, g.Name+" group_min "+key, s.GroupMin, want.GroupMin[key])
				same(t, g.Name+" group_max "+key, s.GroupMax, want.GroupMax[key])
				same(t, g.Name+" difference "+key, s.Difference.BetweenGroups, want.Difference[key])
				same(t, g.Name+" difference to overall "+key, s.Difference.ToOverall, want.DifferenceToOverall[key])
				same(t, g.Name+" ratio "+key, s.Ratio.BetweenGroups, want.Ratio[key])
				same(t, g.Name+" ratio to overall "+key, s.Ratio.ToOverall, want.RatioToOverall[key])
				for _, h := range g.Groups {
					same(t, g.Name+"="+h.Label+" "+key, h.Models[0].Values.Of[key], want.ByGroup[h.Label][key])
					checked++
				}
			}
			if len(g.Groups) != len(want.ByGroup) {
				t.Errorf("%s has %d groups, want %d", g.Name, len(g.Groups), len(want.ByGroup))
			}
		}
		if want := 8 * map[Task]int{Binary: 13, Regression: 6}[task]; checked != want {
			t.Errorf("%s: %d group measures compared, want %d", task, checked, want)
		}
	}
}

// With row weights every measure agrees with scikit-learn's sample_weight.
func TestWeightedAgreesWithPeers(t *testing.T) {
	f := readFixture(t)
	for _, task := range []Task{Binary, Regression} {
		in := f.input(task)
		in.Weight = f.Weight
		e, err := Evaluate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		want := f.Weighted[task]
		for key, x := range want.Overall {
			same(t, "weighted "+key, e.Models[0].Overall.Of[key], x)
		}
		g := e.Groupings[len(e.Groupings)-1]
		for _, h := range g.Groups {
			for key, x := range want.ByGroup[h.Label] {
				same(t, "weighted "+h.Label+" "+key, h.Models[0].Values.Of[key], x)
			}
		}
		if len(want.Overall) < 6 || len(g.Groups) != 4 {
			t.Errorf("%d measures, %d groups compared", len(want.Overall), len(g.Groups))
		}
	}
}
