package eval_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// denials returns a model that denies 20 of 100 applicants of group a and 5 of 100 of group b, times a factor.
func denials(factor int) eval.Input {
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "deny", Positive: "deny = yes",
		Resamples: 100, MinGroupSize: 20,
		Models: []eval.Model{{Name: "m"}}}
	g := encode.Grouping{Name: "group", Labels: []string{"a", "b"}}
	for k, denied := range []int{20 * factor, 5 * factor} {
		for i := range 100 * factor {
			p, y := 0.2, -1.0
			if i < denied {
				p = 0.8
			}
			if i%7 == 0 {
				y = 1
			}
			in.Target, g.Index = append(in.Target, y), append(g.Index, int32(k))
			in.Models[0].Score = append(in.Models[0].Score, p)
		}
	}
	in.Groups = []encode.Grouping{g}
	return in
}

// The four-fifths rule compares the rates of the favourable outcome: 80 of 100 against 95 of 100 approvals, not 5
// against 20 denials.
func TestCriteria_FourFifthsOfTheFavourableOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		favourable *eval.Favourable
		reference  string
		factor     int
		value      float64
		outcome    string
	}{
		"approvals":             {&eval.Favourable{Value: "no"}, "", 1, 80.0 / 95, "undecided"},
		"approvals, many":       {&eval.Favourable{Value: "no"}, "", 30, 80.0 / 95, "pass"},
		"denials as favourable": {&eval.Favourable{Value: "yes", IsPositive: true}, "", 30, 5.0 / 20, "fail"},
		"reference a":           {&eval.Favourable{Value: "no"}, "a", 30, 95.0 / 80, "pass"},
		"reference b":           {&eval.Favourable{Value: "no"}, "b", 30, 80.0 / 95, "pass"},
		"unknown":               {nil, "", 1, math.NaN(), ""},
	} {
		in := denials(c.factor)
		in.Favourable, in.ReferenceGroup = c.favourable, c.reference
		e := evaltest.Evaluate(t, in)
		found := false
		for _, q := range e.Criteria {
			if q.Key != "four_fifths" {
				continue
			}
			found = true
			if !(math.Abs(float64(q.Value)-c.value) <= 1e-12) || q.Outcome != c.outcome ||
				!(q.Interval.Low <= q.Value && q.Value <= q.Interval.High) {
				t.Errorf("%s: %+v, %+v", name, q, q.Interval)
			}
		}
		if found != (c.favourable != nil) {
			t.Errorf("%s: found %v", name, found)
		}
		gate, err := eval.ParseGate("four_fifths.high < 0.8")
		if err != nil {
			t.Fatal(err)
		}
		r, err := gate.Check(e)
		if (err != nil) != (c.favourable == nil) || r.Failed != (c.outcome == "fail") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestGuessFavourable_ByNames(t *testing.T) {
	for _, c := range []struct {
		target, positive, negative, want string
		guessed                          bool
	}{
		{"deny", "yes", "no", "no", true}, {"approved", "yes", "no", "yes", true}, {"y", "yes", "no", "", false},
		{"status", "default", "paid", "paid", true}, {"status", "good", "bad", "good", true},
		{"two_year_recid", "1", "0", "0", true},
		{"income", ">50K", "<=50K", "", false}, {"loan_status", "Charged Off", "Fully Paid", "Fully Paid", true},
	} {
		f := eval.GuessFavourable(c.target, c.positive, c.negative)
		if (f != nil) != c.guessed || f != nil && (f.Value != c.want || f.IsPositive != (c.want == c.positive)) {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// The simultaneous interval of a group contains the interval of the group alone, as do those of the changes and of
// the worst group, also under heavy tails.
func TestSimultaneous_ContainsTheSingleInterval(t *testing.T) {
	for seed := range uint64(20) {
		in := evaltest.Two(300, 4, 0.1, seed)
		in.Resamples = 200
		for k := range in.Models {
			for i := range in.Models[k].Loss {
				if (uint64(i)+seed)%97 == 0 {
					in.Models[k].Loss[i] *= 40
				}
			}
		}
		e := evaltest.Evaluate(t, in)
		contains := func(what string, outer, inner *eval.Interval) {
			t.Helper()
			if outer != nil && inner != nil && !(outer.Low <= inner.Low && inner.High <= outer.High) {
				t.Errorf("seed %d, %s: %v does not contain %v", seed, what, *outer, *inner)
			}
		}
		for _, m := range e.Models {
			if m.WorstGroup == nil || m.WorstGroup.MaxInterval == nil {
				t.Fatal("no interval of the worst group")
			}
			contains("worst group", m.WorstGroup.MaxInterval, m.WorstGroup.Interval)
		}
		for _, g := range e.Headline().Groups {
			for _, m := range g.Models {
				contains(g.Label, m.Simultaneous, m.Intervals.Find("risk"))
			}
		}
		for _, d := range e.Compared[0].Groups {
			contains("change in "+d.Label, d.Simultaneous, d.Interval)
		}
	}
}

// A criterion that is not tested states why.
func TestCriteria_ReasonUntested(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *eval.Input)
		key    string
		reason string
	}{
		"no intervals": {func(in *eval.Input) { in.Resamples = 0 }, "tpr", "there are no intervals"},
		"no intervals, four-fifths": {func(in *eval.Input) { in.Resamples = 0 }, "four_fifths",
			"there are no intervals"},
		"small reference": {func(in *eval.Input) {
			in.ReferenceGroup, in.Groups[0].Labels[1] = "tiny", "tiny"
			in.MinGroupSize = 101
		},
			"four_fifths", "tiny has fewer than 101 rows here"},
		"nobody": {func(in *eval.Input) {
			for i := range in.Models[0].Score {
				in.Models[0].Score[i] = 0.9 // the positive class is to deny
			}
		}, "four_fifths", "no row of these groups is predicted “no”"},
		"two positive rows": {func(in *eval.Input) {
			left := 2
			for i := range in.Target {
				if in.Groups[0].Index[i] == 1 && in.Target[i] > 0 {
					if left--; left < 0 {
						in.Target[i] = -1
					}
				}
			}
		}, "tpr", "the true positive rate of b is a rate of 2 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			in := denials(1)
			in.Favourable = &eval.Favourable{Value: "no"}
			c.change(&in)
			for _, q := range evaltest.Evaluate(t, in).Criteria {
				if q.Key != c.key {
					if (q.Outcome == "untested") != (q.Reason != "") {
						t.Errorf("%+v", q)
					}
					continue
				}
				if q.Outcome != "untested" || q.Reason != c.reason || q.Interval != nil {
					t.Errorf("%+v", q)
				}
				return
			}
			t.Error("no such criterion")
		})
	}
}
