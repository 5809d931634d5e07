package eval_test

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/eval/page"
)

func TestObjective_Text(t *testing.T) {
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
	for _, penalty := range []divergence.Divergence{"kl", "chi2"} {
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
			if largest := strings.Contains(o.ObjectiveText(), "max over j"); largest != (nu == 0) ||
				strings.Contains(s, "largest loss") != largest {
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

// What is wrong with the weights of an adversary is an error, and so are an empty report and a context
// that was cancelled.
func TestEvaluate_RefusesInputs(t *testing.T) {
	for want, in := range map[string]eval.AdversaryInput{
		"no weights":             {},
		"weight 1 is -0.1":       {Weights: []float64{-0.1, 1.1}},
		"weight 2 is NaN":        {Weights: []float64{0.5, math.NaN()}},
		"the weights sum to 0.9": {Weights: []float64{0.5, 0.4}},
		"2 weights for 1 losses": {Weights: []float64{0.5, 0.5}, Loss: []float64{1}},
		`grouping "g" covers 1 of 2 rows`: {Weights: []float64{0.5, 0.5},
			Groups: []encode.Grouping{{Name: "g", Index: []int32{0}}}},
	} {
		if _, err := eval.DescribeAdversary(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := eval.Evaluate(ctx, evaltest.Loans()); err == nil {
		t.Error("cancellation ignored")
	}
	if err := page.WriteHTML(io.Discard, &eval.Report{}); err == nil {
		t.Error("empty report written")
	}
}
