package eval_test

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
)

func TestObjectiveText(t *testing.T) {
	for want, o := range map[string]eval.Objective{
		"max over j of":             {Penalty: "kl", Nu: 0, Mu: 1},
		"mean of ℓⱼ(x)":             {Penalty: "kl", Nu: math.Inf(1), Mu: 1},
		"− 0.5 · Σ yⱼ log(n yⱼ)":    {Penalty: "kl", Nu: 0.5, Mu: 1},
		"− 2 · ½ mean((n yⱼ − 1)²)": {Penalty: "chi2", Nu: 2, Mu: 1},
		"as written":                {Text: "as written", Penalty: "kl"},
	} {
		if got := o.ObjectiveText(); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	// What the price is called elsewhere follows it: at its ends there is none to state.
	for _, penalty := range []string{"kl", "chi2"} {
		for _, nu := range []float64{0, 0.25, 1, 2, math.Inf(1)} {
			o := eval.Objective{Penalty: penalty, Nu: nu, Mu: 1, N: 10}
			s, want := strings.Join(o.Normalisation(), " "), "with ν = "+strconv.FormatFloat(nu, 'g', -1, 64)+", in units"
			switch nu {
			case 0:
				want = "The robust risk is the largest loss"
			case math.Inf(1):
				want = "plain empirical risk minimisation"
			}
			if !strings.Contains(s, want) {
				t.Errorf("%+v: %q lacks %q", o, s, want)
			}
			if largest := strings.Contains(o.ObjectiveText(), "max over j"); largest != (nu == 0) || strings.Contains(s, "largest loss") != largest {
				t.Errorf("%+v: %q and %q", o, o.ObjectiveText(), s)
			}
		}
	}
	for _, nu := range []float64{0, 1} {
		if s := (eval.Objective{Nu: nu}).Normalisation(); s != nil {
			t.Errorf("%q of no adversary", s)
		}
	}
	// ½ν′‖y − 1/n‖² with ν′ = νn, and ν″n‖y − 1/n‖² with ν″ = ν/2.
	s := strings.Join(eval.Objective{Penalty: "chi2", Nu: 0.5, N: 400}.Normalisation(), " ")
	if !strings.Contains(s, "ν′ = νn = 200") || !strings.Contains(s, "ν′ = ν/2 = 0.25") {
		t.Error(s)
	}
}

func TestBadInputIsNamed(t *testing.T) {
	ok := func() eval.Input {
		return eval.Input{Task: eval.Binary, Target: []float64{1, -1}, RowID: []int{40, 41}, Models: []eval.Model{{Name: "m", Score: []float64{.1, .2}, Loss: []float64{1, 2}}}}
	}
	for want, breakIt := range map[string]func(*eval.Input){
		"no rows":                       func(in *eval.Input) { in.Target = nil },
		"no model":                      func(in *eval.Input) { in.Models = nil },
		`task "x"`:                      func(in *eval.Input) { in.Task = "x" },
		"row 41 is NaN":                 func(in *eval.Input) { in.Models[0].Score[1] = math.NaN() },
		"probability in [0, 1]":         func(in *eval.Input) { in.Models[0].Score[0] = 2 },
		"loss of model \"m\" at row 40": func(in *eval.Input) { in.Models[0].Loss[0] = math.Inf(1) },
		"binary target is":              func(in *eval.Input) { in.Target[0] = 0 },
		"has 1 scores":                  func(in *eval.Input) { in.Models[0].Score = in.Models[0].Score[:1] },
		"name of its own":               func(in *eval.Input) { in.Models = append(in.Models, in.Models[0]) },
		"covers 1 rows": func(in *eval.Input) {
			in.Groups = []data.Grouping{{Name: "g", Labels: []string{"a"}, Index: []int32{0}}}
		},
		"the group 3 of 1": func(in *eval.Input) {
			in.Groups = []data.Grouping{{Name: "g", Labels: []string{"a"}, Index: []int32{0, 3}}}
		},
		"5 resamples: must be 0": func(in *eval.Input) { in.Resamples = 5 },
		"from 100 to 1000000":    func(in *eval.Input) { in.Resamples = eval.MostResamples + 1 },
		"confidence":             func(in *eval.Input) { in.Confidence = 2 },
	} {
		in := ok()
		breakIt(&in)
		if _, err := eval.Evaluate(context.Background(), in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	for _, y := range [][]float64{nil, {-0.1, 1.1}, {0.5, math.NaN()}, {0.5, 0.4}} {
		if _, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: y}); err == nil {
			t.Errorf("weights %v accepted", y)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := eval.Evaluate(ctx, ok()); err == nil {
		t.Error("cancellation ignored")
	}
	if err := page.WriteHTML(io.Discard, &eval.Report{}); err == nil {
		t.Error("empty report written")
	}
}
