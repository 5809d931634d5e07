package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/printable"
)

// Draw draws what the report holds, in the order of the page. A figure
// whose data is missing or all undefined is left out.
func Draw(r *eval.Report) ([]Figure, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	var out []Figure
	people := r.InTargetUnits()
	for _, f := range []func(*eval.Report) (Figure, bool){
		figChange, figRisk, figCVaR, figRadius, figConcentration, figMass, figCalibration, figReliability, figGroupBias, figGroupCoefficients, figCoefficients, figFrontier, figPath,
	} {
		if g, ok := f(people); ok {
			out = append(out, g)
		}
	}
	if g, ok := figGap(r); ok { // in units of the loss, as the certificate
		out = append(out, g)
	}
	return out, nil
}

// maxDots is the most rows a dot chart shows; the table has the rest.
const maxDots = 24

func figGap(r *eval.Report) (Figure, bool) {
	var px, sx, gy []float64
	for _, t := range r.Trace {
		if g, ok := t.Gap(); ok && g > 0 {
			px, sx, gy = append(px, t.Passes), append(sx, t.Seconds), append(gy, g)
		}
	}
	if len(gy) < 2 {
		return Figure{}, false
	}
	best := slices.Clone(gy) // the best bound so far is what counts
	ref, say := 0.0, ""
	if c := r.Certificate; c != nil && c.Target.Defined() && c.Target > 0 && c.Upper.Defined() {
		ref, say = float64(c.Target)*math.Max(1e-12, math.Abs(float64(c.Upper))), "gap asked for"
	}
	unit := words.WithUnit("certified gap", r.Evaluation.LossUnit)
	p := chart.Panel{XLabel: "passes over the training rows", YLabel: unit, YLog: true, Ref: ref, RefText: say,
		Series: []chart.Series{{K: 1, X: px, Y: best, Marks: len(px) <= 40}}}
	first, last := gy[0], gy[len(gy)-1]
	return Figure{
		Name: "gap", Title: "Certified gap", draw: chart.Lines{Panels: []chart.Panel{p}}.Drawing(),
		Caption: "Upper minus lower bound on the objective, logarithmic. Points where no lower bound was known yet are not drawn.",
		Alt: fmt.Sprintf("Certified gap falling from %s after %s to %s after %s and %s.",
			words.Number(first), counted(px[0], "pass", "passes"), words.Number(last), counted(px[len(px)-1], "pass", "passes"), counted(sx[len(sx)-1], "second", "seconds")),
	}, true
}

// counted writes a number of passes, or of seconds.
func counted(x float64, one, many string) string {
	return words.Short(x) + " " + printable.Noun(x, one, many)
}

func figCVaR(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	p := chart.Panel{XLabel: "worst share of the rows, α", YLabel: riskLabel(e) + " of the worst α of the rows", XLog: true, XShare: true}
	var alt []string
	for k, m := range e.Models {
		s := chart.Series{K: k}
		for _, q := range m.CVaR {
			s.X, s.Y = append(s.X, q.Alpha), append(s.Y, float64(q.Value))
		}
		p.Series = append(p.Series, s)
		say := m.Name + ":"
		for _, q := range m.CVaR {
			if q.Alpha == 0.01 || q.Alpha == 0.1 || q.Alpha == 1 {
				say += fmt.Sprintf(" %s at α = %s,", words.Number(float64(q.Value)), chart.Percent(q.Alpha))
			}
		}
		alt = append(alt, strings.TrimSuffix(say, ","))
	}
	if len(p.Series) == 0 || len(p.Series[0].X) < 2 {
		return Figure{}, false
	}
	return Figure{Name: "cvar", Title: "Tail risk", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: fmt.Sprintf("CVaR over α on the %s. At 100\u00a0%% it is the plain mean; to the left, the mean over ever fewer, worse rows.", e.Split),
		Alt:     "CVaR by share of worst rows. " + strings.Join(alt, "; ") + "."}, true
}

// nearRadius is how far the curves of reweightings are drawn, at least: beyond
// it, weights of a few rows decide, and what is near 0 could not be read.
const nearRadius = 0.5

func figRadius(r *eval.Report) (Figure, bool) {
	e, a := r.Evaluation, r.Adversary
	kl := chart.Panel{XLabel: "radius: Σ y log(n y), nats", YLabel: "largest over a KL ball: " + riskLabel(e), XRoot: true, Height: 140}
	chi := chart.Panel{XLabel: "radius: ½ mean((n y − 1)²)", YLabel: "largest over a χ² ball: " + riskLabel(e), XRoot: true, Height: 140}
	farKL, farChi, mark, say := nearRadius, nearRadius, "", ""
	if a != nil && a.Nu != nil && a.Nu.Defined() && a.Penalty != "" {
		at, p, far := a.RadiusKL, &kl, &farKL
		if a.Penalty == "chi2" {
			at, p, far = a.RadiusChi, &chi, &farChi
		}
		if nu := words.Short(float64(*a.Nu)); at.Defined() && at > measure.SmallestRadius && at < 100 {
			p.XRef, p.XRefText = float64(at), "ν = "+nu
			*far = max(nearRadius, 1.5*float64(at))
			mark = fmt.Sprintf(" Dotted: the radius that the adversary of %s reaches on the %s at ν = %s.", a.Model, a.Rows, nu)
			say = fmt.Sprintf("; at ν = %s the adversary of %s has radius %s", nu, a.Model, words.Number(float64(at)))
		}
	}
	var alt []string
	for k, m := range e.Models {
		kl.Series = append(kl.Series, reweighted(m, m.KL, k, farKL))
		chi.Series = append(chi.Series, reweighted(m, m.ChiSquare, k, farChi))
		if s := kl.Series[k]; len(s.X) > 2 {
			z := len(s.X) - 1
			alt = append(alt, fmt.Sprintf("%s from %s without reweighting to %s at KL radius %s", m.Name, words.Number(s.Y[0]), words.Number(s.Y[z]), words.Number(s.X[z])))
		}
	}
	if len(alt) == 0 {
		return Figure{}, false
	}
	return Figure{Name: "risk-by-radius", Title: "Risk under reweighting", draw: chart.Lines{Panels: []chart.Panel{kl, chi}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: fmt.Sprintf("The largest mean loss that any reweighting y of the rows of the %s can reach within the radius, on a scale of square roots.", e.Split) + mark,
		Alt:     "Worst-case mean loss against radius. " + strings.Join(alt, "; ") + say + "."}, true
}

// reweighted returns the curve of a model from radius 0, where the worst case is the
// mean, to a radius.
func reweighted(m eval.ModelResult, w []eval.WorstCase, k int, far float64) chart.Series {
	s := chart.Series{K: k, X: []float64{0}, Y: []float64{float64(m.Overall.Of["risk"])}}
	for _, q := range w {
		if x := float64(q.Radius); x > 0 && x <= far {
			s.X, s.Y = append(s.X, x), append(s.Y, float64(q.Mean))
		}
	}
	return s
}

func figCalibration(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	if e.Task == eval.Multiclass {
		return Figure{}, false
	}
	if e.Task == eval.Regression {
		return figResiduals(r)
	}
	p := chart.Panel{XLabel: "mean predicted probability", YLabel: "share of positives observed", Square: true, XShare: true, YShare: true, Height: 230}
	var alt []string
	for k, m := range e.Models {
		s := chart.Series{K: k, Marks: true}
		for _, b := range m.Calibration {
			s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Observed))
		}
		p.Series = append(p.Series, s)
		if n := len(s.X); n > 0 {
			alt = append(alt, fmt.Sprintf("%s: highest tenth predicted %s, observed %s; ECE %s", m.Name, words.Percent(s.X[n-1]), words.Percent(s.Y[n-1]), words.Number(float64(m.Overall.Of["ece"]))))
		}
	}
	if len(alt) == 0 {
		return Figure{}, false
	}
	return Figure{Name: "calibration", Title: "Calibration", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: "Rows in tenths by predicted probability. On the dotted diagonal prediction and outcome agree.",
		Alt:     "Calibration by tenths. " + strings.Join(alt, "; ") + "."}, true
}

func figResiduals(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	p := chart.Panel{XLabel: words.WithUnit("mean prediction", e.TargetUnit), YLabel: words.WithUnit("residual: target − prediction", e.TargetUnit), Zero: true, Height: 210}
	var alt []string
	for k, m := range e.Models {
		s := chart.Series{K: k, Marks: true}
		for _, b := range m.Residuals {
			s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Median))
			s.Lo, s.Hi = append(s.Lo, float64(b.P10)), append(s.Hi, float64(b.P90))
		}
		p.Series = append(p.Series, s)
		if n := len(s.X); n > 0 {
			alt = append(alt, fmt.Sprintf("%s: median residual %s in the lowest tenth, %s in the highest", m.Name, words.Number(s.Y[0]), words.Number(s.Y[n-1])))
		}
	}
	if len(alt) == 0 {
		return Figure{}, false
	}
	return Figure{Name: "residuals", Title: "Residuals", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: "Rows in tenths by prediction. Thick: median residual; thin: the middle 80\u00a0% of the residuals lie between.",
		Alt:     "Residuals by tenths of the prediction. " + strings.Join(alt, "; ") + "."}, true
}

func figGroupBias(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	g := e.Headline()
	if g == nil || e.Task == eval.Multiclass {
		return Figure{}, false
	}
	d := chart.Dots{Names: e.Names(), Ref: []float64{0}}
	title, caption := "Calibration by group", "Mean predicted probability minus share of positives; right of 0 the model promises too much."
	d.XLabel = "predicted − observed share of positives"
	key := "calibration_gap"
	if e.Task == eval.Regression {
		title, caption, key = "Bias by group", "Mean of prediction − target; right of 0 the model predicts too much.", "bias"
		d.XLabel = words.WithUnit("mean of prediction − target", e.TargetUnit)
	} else {
		d.Share = true
	}
	var alt []string
	for i, h := range g.Shown(maxDots) {
		row := groupDot(h)
		say := h.Label + ":"
		for k, m := range h.Models {
			v := float64(m.Values.Of[key])
			lo, hi := math.NaN(), math.NaN()
			if iv, ok := m.Intervals[key]; ok {
				lo, hi = float64(iv.Low), float64(iv.High)
			}
			row.Value, row.Lo, row.Hi = append(row.Value, v), append(row.Lo, lo), append(row.Hi, hi)
			if e.Task == eval.Binary {
				say += " " + e.Models[k].Name + " " + words.Percent(v)
			} else {
				say += " " + e.Models[k].Name + " " + words.Number(v)
			}
		}
		d.Rows = append(d.Rows, row)
		if i < 12 {
			alt = append(alt, say)
		}
	}
	return Figure{Name: "bias-by-group", Title: title, draw: d.Drawing(),
		Caption: caption + " Groups in the order of the risk figure.", Alt: title + ". " + strings.Join(alt, "; ") + "."}, true
}

func figCoefficients(r *eval.Report) (Figure, bool) {
	c := r.Coefficients
	if c == nil || len(c.Rows) == 0 {
		return Figure{}, false
	}
	d := chart.Dots{Names: c.Models, XLabel: cmp.Or(c.Scaled, "coefficient per standard deviation"), Ref: []float64{0}}
	rows := slices.DeleteFunc(c.Largest(), func(q eval.Coefficient) bool { return len(q.Scaled) != len(c.Models) || q.Name == "(intercept)" })
	if len(rows) == 0 {
		return Figure{}, false
	}
	var alt []string
	for i, q := range rows {
		if i == eval.MostCoefficients {
			break
		}
		row := chart.Dot{Label: q.Name}
		say := q.Name + ":"
		for k, v := range q.Scaled { // as long as Models: see above
			lo, hi := math.NaN(), math.NaN()
			if k < len(q.ScaledIntervals) {
				lo, hi = ends(q.ScaledIntervals[k])
			}
			row.Value, row.Lo, row.Hi = append(row.Value, float64(v)), append(row.Lo, lo), append(row.Hi, hi)
			say += " " + c.Models[k] + " " + words.Number(float64(v))
		}
		d.Rows = append(d.Rows, row)
		if i < 12 {
			alt = append(alt, say)
		}
	}
	caption := "Per standard deviation of the column, largest first; the intercept is left out."
	if c.About != "" {
		caption += " Bars: intervals of each coefficient on its own."
	}
	if len(rows) > eval.MostCoefficients {
		caption += fmt.Sprintf(" The largest %d of %s.", eval.MostCoefficients, words.Count(len(rows)))
	}
	return Figure{Name: "coefficients", Title: "Coefficients", draw: d.Drawing(), Caption: caption,
		Alt: "Coefficients. " + strings.Join(alt, "; ") + "."}, true
}

func riskLabel(e *eval.Evaluation) string {
	if e.Task == eval.Binary && e.LossUnit == "nats" {
		return "log loss (nats)"
	}
	if e.Loss == eval.RootMeanSquare {
		return words.WithUnit("RMSE", e.LossUnit)
	}
	return words.WithUnit("mean loss", e.LossUnit)
}
