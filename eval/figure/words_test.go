package figure

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/measure"
)

// What a figure says in words are the ends of its curves, of every model; a curve of too
// few points, or of none, says nothing and draws nothing.
func TestCurvesSayTheirEnds(t *testing.T) {
	risk := func(v float64) eval.Values {
		return eval.Values{Of: map[string]eval.Num{"risk": eval.Num(v), "ece": eval.Num(v / 10)}}
	}
	a := eval.ModelResult{Name: "A", Overall: risk(0.25),
		CVaR:        []eval.CVaRPoint{{Alpha: 0.01, Value: 9}, {Alpha: 0.05, Value: 8}, {Alpha: 0.1, Value: 7}, {Alpha: 1, Value: 0.25}},
		KL:          []eval.WorstCase{{Radius: 0, Mean: 99}, {Radius: 0.125, Mean: 2}, {Radius: 0.5, Mean: 3}, {Radius: 0.625, Mean: 4}},
		ChiSquare:   []eval.WorstCase{{Radius: 0.25, Mean: 2}, {Radius: 0.5, Mean: 6}},
		Calibration: []eval.CalibrationBin{{Predicted: 0.125, Observed: 0.25}, {Predicted: 0.5, Observed: 0.625}},
		Residuals:   []eval.ResidualBin{{Predicted: 1, P10: -1, Median: 0.5, P90: 2}, {Predicted: 2, P10: -2, Median: -0.75, P90: 3}}}
	b := eval.ModelResult{Name: "B", Overall: risk(0.5), CVaR: a.CVaR, KL: a.KL[:2], ChiSquare: a.ChiSquare[:1]}
	nu := eval.Num(0.5)
	r := &eval.Report{Evaluation: &eval.Evaluation{Task: eval.Binary, Split: "hold-out", Models: []eval.ModelResult{a, b}}}
	say := func(draw func(*eval.Report) (Figure, bool), want string) {
		t.Helper()
		f, ok := draw(r)
		if !ok || f.Alt != want {
			t.Errorf("%v, %q\nwant  %q", ok, f.Alt, want)
		}
	}
	say(figCVaR, "CVaR by share of worst rows. A: 9.000 at α = 1\u2009%, 7.000 at α = 10\u2009%, 0.250 at α = 100\u2009%; B: 9.000 at α = 1\u2009%, 7.000 at α = 10\u2009%, 0.250 at α = 100\u2009%.")
	say(figRadius, "Worst-case mean loss against radius. A from 0.250 without reweighting to 3.000 at KL radius 0.500.")
	say(figCalibration, "Calibration by tenths. A: highest tenth predicted 50.0\u00a0%, observed 62.5\u00a0%; ECE 0.0250.")

	// The adversary's radius is marked on the panel of its penalty, which is drawn half as
	// far again.
	r.Adversary = &eval.Adversary{Model: "A", Rows: "training rows", Penalty: "kl", Nu: &nu, RadiusKL: 0.4375, RadiusChi: 7}
	say(figRadius, "Worst-case mean loss against radius. A from 0.250 without reweighting to 4.000 at KL radius 0.625; at ν = 0.5 the adversary of A has radius 0.438.")
	r.Adversary.Penalty = "chi2"
	say(figRadius, "Worst-case mean loss against radius. A from 0.250 without reweighting to 3.000 at KL radius 0.500; at ν = 0.5 the adversary of A has radius 7.000.")
	for _, far := range []eval.Num{measure.SmallestRadius, 100, measure.Undefined()} { // nothing to mark
		r.Adversary.RadiusChi = far
		say(figRadius, "Worst-case mean loss against radius. A from 0.250 without reweighting to 3.000 at KL radius 0.500.")
	}

	r.Evaluation.Task = eval.Regression
	say(figCalibration, "Residuals by tenths of the prediction. A: median residual 0.500 in the lowest tenth, −0.750 in the highest.")

	r.Evaluation.Models = []eval.ModelResult{{Name: "B", Overall: risk(0.5), CVaR: a.CVaR[:1], KL: a.KL[:2]}}
	for name, draw := range map[string]func(*eval.Report) (Figure, bool){"CVaR": figCVaR, "radius": figRadius, "calibration": figCalibration} {
		if f, ok := draw(r); ok {
			t.Errorf("%s is drawn of a point: %s", name, f.Alt)
		}
	}
	r.Trace = []eval.TracePoint{{Passes: 1}}
	if f, ok := figGap(r); ok {
		t.Errorf("a gap of a point: %s", f.Alt)
	}
}

// Below a figure by group stands what its bars are, that some groups are small, and how many
// are left out, each where it is so.
func TestFiguresSayWhatGroupsTheyShow(t *testing.T) {
	e := &eval.Evaluation{Task: eval.Regression, Split: "hold-out", N: 90, MinGroupSize: 7, Models: []eval.ModelResult{{Name: "A"}}}
	const bars, grey = " Bars: 95\u00a0% intervals that hold for all groups together.", " Grey names, open marks: fewer than 7 rows, insufficient evidence."
	if got := together(e, false, 0); got != "" {
		t.Errorf("%q of nothing to say", got)
	}
	if got, want := together(e, true, 1), grey+" 1 more group is in metrics.json."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Resamples, e.Confidence = 1, 0.95
	if got := together(e, true, 0); got != bars+grey {
		t.Errorf("%q", got)
	}
	for small := range 4 { // of the groups; the last time there are too many
		g, n := eval.Grouping{Name: "site"}, maxDots
		if small == 3 {
			n += 2
		}
		var changes []eval.GroupDifference
		for k := range n {
			g.Groups = append(g.Groups, eval.Group{Label: string(rune('a' + k)), N: 10, Sufficient: k != small-1 || small == 3, Models: []eval.GroupModel{{Values: eval.Values{Of: map[string]eval.Num{"risk": eval.Num(k)}}}}})
			changes = append(changes, eval.GroupDifference{})
		}
		e.Groupings = []eval.Grouping{g}
		e.Compared = []eval.Comparison{{Model: "B", Baseline: "A", Groups: changes}}
		want := bars
		switch small {
		case 1, 2:
			want += grey
		case 3:
			want += " 2 more groups are in metrics.json."
		}
		for name, draw := range map[string]func(*eval.Report) (Figure, bool){"risk": figRisk, "change": figChange} {
			f, ok := draw(&eval.Report{Evaluation: e})
			if !ok || !strings.HasSuffix(f.Caption, "."+want) {
				t.Errorf("%s, small group %d: %q does not end in %q", name, small, f.Caption, want)
			}
		}
	}
}

// Of many groups or columns a figure says the first twelve in words, of fewer all.
func TestFiguresSayTwelveInWords(t *testing.T) {
	for _, n := range []int{1, 11, 12, 13, 30} {
		e := &eval.Evaluation{Task: eval.Regression, N: 90, Models: []eval.ModelResult{{Name: "A"}}}
		g, mass, c := eval.Grouping{Name: "site"}, eval.MassGrouping{Name: "site"}, &eval.Coefficients{Models: []string{"A"}}
		var changes []eval.GroupDifference
		for k := range n {
			label := string(rune('a' + k))
			g.Groups = append(g.Groups, eval.Group{Label: label, N: 10, Sufficient: true, Models: []eval.GroupModel{{Values: eval.Values{Of: map[string]eval.Num{"risk": eval.Num(k), "bias": eval.Num(k)}}}}})
			changes = append(changes, eval.GroupDifference{Label: label})
			mass.Groups = append(mass.Groups, eval.GroupMass{Label: label, Share: 0.1, Mass: 0.01 * float64(k)})
			c.Rows = append(c.Rows, eval.Coefficient{Name: label, Original: []eval.Num{1}, Scaled: []eval.Num{eval.Num(k + 1)}})
		}
		e.Groupings = []eval.Grouping{g}
		e.Compared = []eval.Comparison{{Model: "B", Baseline: "A", Groups: changes}}
		r := &eval.Report{Evaluation: e, Adversary: &eval.Adversary{Groupings: []eval.MassGrouping{mass}}, Coefficients: c}
		for name, draw := range map[string]func(*eval.Report) (Figure, bool){"risk": figRisk, "change": figChange, "bias": figGroupBias, "mass": figMass, "coefficients": figCoefficients} {
			f, ok := draw(r)
			if said := 1 + strings.Count(f.Alt, "; "); !ok || said != min(n, 12) {
				t.Errorf("%s: %d of %d in words: %q", name, said, n, f.Alt)
			}
		}
	}
}
