package eval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// month returns n rows of a loan book in five regions, of which Ost has a fraction flipped of its labels
// turned over, measured by a fixed model.
func month(n int, flipped float64, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 21))
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "default", Positive: "yes",
		Resamples: 200, Seed: seed, MinGroupSize: 20, Split: eval.Table,
		Models: []eval.Model{{Name: "robust", Role: eval.RobustModel}}}
	g := encode.Grouping{Name: "region", Labels: []string{"Mitte", "Nord", "Ost", "Süd", "West"}}
	for range n {
		region := r.IntN(len(g.Labels))
		z := 1.5*r.NormFloat64() - 0.5 + 0.3*float64(region)
		p := 1 / (1 + math.Exp(-z))
		y := -1.0
		if r.Float64() < p {
			y = 1
		}
		if region == 2 && r.Float64() < flipped {
			y = -y
		}
		in.Target, g.Index = append(in.Target, y), append(g.Index, int32(region))
		in.Models[0].Score = append(in.Models[0].Score, p)
	}
	in.Groups = []encode.Grouping{g}
	return in
}

// A month like the hold-out passes, and one with 35 % of a region's labels turned over fails: gates on
// the numbers alone tell neither.
func TestGate_SinceSeparatesGoodFromBadMonths(t *testing.T) {
	measure := func(in eval.Input) *eval.Evaluation {
		e := evaltest.Evaluate(t, in)
		return e
	}
	gate, err := eval.ParseGate(
		"since.worst_group.risk.low > 0.05 || since.accuracy.high < 0 && since.worst_group.accuracy.high < 0")
	if err != nil {
		t.Fatal(err)
	}
	const months = 20
	good, bad := 0, 0
	for m := range months {
		reference := eval.NewReference(measure(month(1500, 0, uint64(3*m))))
		for flipped, failures := range map[float64]*int{0: &good, 0.35: &bad} {
			e := measure(month(2000, flipped, uint64(3*m+1)))
			e.Reference = reference
			r, err := gate.Check(e)
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed {
				*failures++
			}
		}
	}
	if good > 1 || bad < months-1 {
		t.Errorf("of %d months each, %d good and %d bad ones fail", months, good, bad)
	}
}

// The interval of a difference since an earlier sample covers the true difference of 0.
func TestGate_SinceCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("it evaluates some hundred tables")
	}
	draws := 50.0
	if os.Getenv("DROTRAIN_LONG") != "" {
		draws = 400
	}
	outside := map[string]int{}
	for k := range int(draws) {
		var of [2]*eval.Evaluation
		for side := range of {
			in := month(400, 0, uint64(1000+2*k+side))
			in.Resamples = 100
			var err error
			if of[side], err = eval.Evaluate(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		of[0].Reference = eval.NewReference(of[1])
		for _, path := range []string{"risk", "accuracy", "auc", "group[Ost].risk", "group[Süd].accuracy", "worst_group.risk",
			"worst_group.accuracy"} {
			g, err := eval.ParseGate("since." + path + ".low > 0 || since." + path + ".high < 0")
			if err != nil {
				t.Fatal(err)
			}
			r, err := g.Check(of[0])
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed {
				outside[path]++
			}
		}
	}
	for path, n := range outside {
		if share := float64(n) / draws; share > 0.05+4*math.Sqrt(0.05*0.95/draws) {
			t.Errorf("since.%s leaves 0 out in %d of %v draws", path, n, draws)
		}
	}
}

func TestGate_SinceDriftAndVerdict(t *testing.T) {
	e := evaltest.Evaluate(t, month(500, 0, 5))
	e.Drift = []eval.Drift{{Drift: encode.Drift{Column: "purpose", Unseen: 0.2, PSI: 0.4}},
		{Drift: encode.Drift{Column: "birth date", Missing: 0.3, Outside: 0.05}}}
	e.Reference = eval.NewReference(e)
	raw, err := json.Marshal(e.Reference)
	if err != nil {
		t.Fatal(err)
	}
	if e.Reference, err = eval.ReadReference(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	for text, failed := range map[string]bool{
		"unseen[purpose] > 0.1": true, "unseen[purpose] > 0.3": false, "missing[birth date] > 0.2": true,
		"outside[birth date] > 0.1": false, "psi[purpose] > 0.25": true,
		"verdict == hurt": false, "verdict != hurt": true, `verdict == "no baseline"`: true,
		`verdict in (hurt, "no baseline")`: true,
		"since.risk > 1e-5":                false, "since.risk.low < 0": true, "since.worst_group.accuracy.high < 0": false,
		"since.group[Ost].log_loss.high > 0": true, "since.cvar[1] > 0 || risk > 0": true,
		"logloss > 0": true, "LogLoss > 0 && overall.log_loss > 0": true, "worst_group.accuracy.low > 0.9": false,
		"worst_group.accuracy.high < 1": true,
	} {
		g, err := eval.ParseGate(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if r, err := g.Check(e); strings.Contains(text, "cvar") != (err != nil) || err == nil && r.Failed != failed {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	for text, want := range map[string]string{
		"worst_group.risk = 0.6":       "did you mean ==",
		"verdict == hrt":               "the verdicts are",
		"verdict > 1":                  "compare verdict by ==, != or in with one of \"helped\", \"mixed\"",
		"group[Wst].risk > 1":          `did you mean "Ost" or "West"?`,
		"unseen[purposes] > 0.5":       `did you mean "purpose"?`,
		"worst_group.prevalence > 1":   "group_min.prevalence",
		"since.difference.risk > 1":    "the prefix since. accepts overall.KEY",
		"acuracy > 1":                  "accuracy",
		"worst_group.fpr > 10":         "never fail at > 10, since worst_group.fpr lies between 0 and 1; for 10 % write 0.1",
		"ece > 5":                      "never fail",
		"accuracy < 0":                 "never fail",
		"auc > 1":                      "never fail",
		"accuracy < 80":                "always fail",
		"psi[purpose] < 0":             "never fail",
		"missing[purpose] > 1":         "never fail",
		"risk < 0 && accuracy < 0.5":   "never fail at < 0, since risk is at least 0",
		"since.accuracy.high < -2":     "never fail",
		"difference.tpr > 1":           "never fail",
		"any_group.accuracy < 0":       "never fail",
		"any_group.accuracy == 0.5":    "compare any_group.accuracy with <",
		"overall.acuracy > 1":          `did you mean "accuracy"?`,
		"since.group[nowhere].tpr > 0": "no group is called",
	} {
		g, err := eval.ParseGate(text)
		var r eval.GateResult
		if err == nil {
			r, err = g.Check(e)
		}
		if err == nil && r.Failed { // a group without rows
			err = errors.New(r.Message)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	e.Reference, e.Drift = nil, nil
	for _, text := range []string{"since.risk > 0", "unseen[purpose] > 0"} {
		g, err := eval.ParseGate(text)
		if err == nil {
			_, err = g.Check(e)
		}
		if err == nil {
			t.Errorf("%s: no error without a reference and a profile", text)
		}
	}
}

// Numbers of another target, task, positive class or loss are no earlier ones of these.
func TestGate_SinceOfAnotherTarget(t *testing.T) {
	e := evaltest.Evaluate(t, month(300, 0, 6))
	gate, err := eval.ParseGate("since.accuracy < -0.5")
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(r *eval.Reference){
		"target":         func(r *eval.Reference) { r.Target = "other" },
		"task":           func(r *eval.Reference) { r.Task = eval.Regression },
		"positive class": func(r *eval.Reference) { r.Positive = "other" },
		"loss":           func(r *eval.Reference) { r.Loss = "other" },
		"":               func(r *eval.Reference) {},
		// of an earlier version
		"none": func(r *eval.Reference) { r.Target, r.Task, r.Positive, r.Loss = "", "", "", "" },
	} {
		e.Reference = eval.NewReference(e)
		change(e.Reference)
		r, err := gate.Check(e)
		if what == "" || what == "none" {
			if err != nil || r.Failed {
				t.Errorf("the same, kept %q: %+v, %v", what, r, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "the earlier evaluation has the "+what+" ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Of months in which the labels of one region are flipped, the gate on any group fails those that the gate on the
// worst group lets pass, and names the region. Months like the hold-out fail it as rarely as its level says.
func TestGate_AnyGroupFindsTheGroup(t *testing.T) {
	check := func(e *eval.Evaluation, text string) eval.GateResult {
		t.Helper()
		g, err := eval.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.Check(e)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const months = 12
	worst, found, named, falseAlarms := 0, 0, 0, 0
	for m := range uint64(months) {
		reference := eval.NewReference(evaltest.Evaluate(t, weakMonth(1500, 0, 3*m)))
		bad, good := evaltest.Evaluate(t, weakMonth(2000, 0.35, 3*m+1)), evaltest.Evaluate(t, weakMonth(2000, 0, 3*m+2))
		bad.Reference, good.Reference = reference, reference
		if check(bad, "since.worst_group.risk.low > 0.05").Failed {
			worst++
		}
		r := check(bad, "since.any_group.risk.low > 0")
		if r.Failed {
			found++
		}
		if strings.HasPrefix(r.Group, "South") {
			named++
		}
		if check(good, "since.any_group.risk.low > 0").Failed {
			falseAlarms++
		}
	}
	if worst > months/4 || found < 3*months/4 || named < found || falseAlarms > 1 {
		t.Errorf("of %d bad months the worst group finds %d, any group %d, which names the region in %d; %d false alarms",
			months, worst, found, named, falseAlarms)
	}
}

// A group of the reference that has no rows fails the gate, as does a group that no one knows.
func TestGate_AbsentGroupFails(t *testing.T) {
	in := weakMonth(1500, 0, 1)
	reference := eval.NewReference(evaltest.Evaluate(t, in))
	in = weakMonth(1500, 0, 2)
	for i, k := range in.Groups[0].Index {
		if in.Groups[0].Labels[k] == "South" {
			for j := range in.Groups {
				in.Groups[j].Index[i] = 0
			}
		}
	}
	e := evaltest.Evaluate(t, in)
	e.Reference = reference
	for _, text := range []string{"group[South].risk > 0.9", "since.group[South].risk.low > 0.9",
		"since.any_group.risk.low > 0.9", "group[region=South].n < 1", "group[South / f].accuracy < 0.1"} {
		g, err := eval.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := g.Check(e); err != nil || !r.Failed || !strings.Contains(r.Message, "South") {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

// Only groups of groupings that both evaluations have are compared, by grouping and label: neither side must cross the
// groups of the other, and equal labels of two columns are not mixed up.
func TestGate_GroupingsOfOneSideAreNotDemanded(t *testing.T) {
	measure := func(seed uint64, change func(in *eval.Input)) *eval.Evaluation {
		in := weakMonth(1500, 0, seed)
		in.Groups[0].Labels[0], in.Groups[1].Labels[0] = "other", "other" // of region and of sex
		change(&in)
		return evaltest.Evaluate(t, in)
	}
	all := func(*eval.Input) {}
	regions := func(in *eval.Input) { in.Groups = in.Groups[:1] }
	for _, c := range []struct {
		name, gate, wrong string
		was, is           func(*eval.Input)
		failed            bool
	}{
		{name: "fewer columns now", gate: "since.any_group.risk.low > 0.5", was: all, is: regions},
		{name: "more columns now", gate: "since.any_group.risk.low > 0.5", was: regions, is: all},
		{name: "a group is gone", gate: "since.any_group.risk.low > 0.5", was: all, is: func(in *eval.Input) {
			regions(in)
			for i := range in.Groups[0].Index {
				in.Groups[0].Index[i] = max(1, in.Groups[0].Index[i])
			}
		}, failed: true},
		{name: "no column in common", gate: "since.any_group.risk.low > 0.5", was: regions,
			is: func(in *eval.Input) { in.Groups = in.Groups[1:2] }, failed: true},
		{name: "worst of other groups", gate: "since.worst_group.risk.low > 0.5", was: all, is: regions,
			wrong: "give the same --groups"},
		{name: "one label of two columns", gate: "since.group[other].risk.low > 0.3", was: all,
			is: func(in *eval.Input) { // sex=other becomes worse, region=other does not
				for i, k := range in.Groups[1].Index {
					if k == 0 && in.Groups[0].Index[i] != 0 {
						in.Target[i] = -in.Target[i]
					}
				}
				regions(in)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := measure(2, c.is)
			e.Reference = eval.NewReference(measure(1, c.was))
			g, err := eval.ParseGate(c.gate)
			if err != nil {
				t.Fatal(err)
			}
			r, err := g.Check(e)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Error(err)
				}
				return
			}
			if err != nil || r.Failed != c.failed || !c.failed && !r.Value.Defined() {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// weakMonth returns n rows in five regions, crossed with two sexes, measured by a model with about 68 % accuracy. A
// fraction flipped of the labels of South is turned over.
func weakMonth(n int, flipped float64, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 22))
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "default", Positive: "yes",
		Resamples: 200, Seed: seed, MinGroupSize: 20, Split: eval.Table,
		Models: []eval.Model{{Name: "robust", Role: eval.RobustModel}}}
	region := encode.Grouping{Name: "region", Labels: []string{"Centre", "East", "North", "South", "West"}}
	sex := encode.Grouping{Name: "sex", Labels: []string{"f", "m"}}
	both := encode.Grouping{Name: "region × sex"}
	for _, a := range region.Labels {
		for _, b := range sex.Labels {
			both.Labels = append(both.Labels, a+" / "+b)
		}
	}
	for range n {
		j, k := r.IntN(5), r.IntN(2)
		p := 1 / (1 + math.Exp(-0.9*r.NormFloat64()-0.3))
		y := -1.0
		if r.Float64() < p {
			y = 1
		}
		if j == 3 && r.Float64() < flipped {
			y = -y
		}
		in.Target, in.Models[0].Score = append(in.Target, y), append(in.Models[0].Score, p)
		region.Index, sex.Index, both.Index = append(region.Index, int32(j)), append(sex.Index, int32(k)), append(both.Index,
			int32(2*j+k))
	}
	in.Groups = []encode.Grouping{region, sex, both}
	return in
}
