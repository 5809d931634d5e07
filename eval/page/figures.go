package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/printable"
)

// Figures returns the figures of the report in the order of the page. Figures without data are left out.
func Figures(r *eval.Report) ([]Figure, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	var out []Figure
	people := r.InTargetUnits()
	for _, f := range []func(*eval.Report) (Figure, bool){
		figChange, figRisk, figCVaR, figCalibration, figGroupCoefficients, figCoefficients, figFrontier,
	} {
		if g, ok := f(people); ok {
			out = append(out, g)
		}
	}
	return out, nil
}

// fewGroups is the largest number of groups for which figures show all models; with more groups they show the
// baseline and the model in focus.
const fewGroups = 12

// maxDots is the largest number of rows of a dot chart; the table has the rest.
const maxDots = 20

// figCVaR draws CVaR as a function of the tail's proportion of the rows.
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
				say += fmt.Sprintf(" %s at α = %s,", printable.Number(float64(q.Value)), chart.Percent(q.Alpha))
			}
		}
		alt = append(alt, strings.TrimSuffix(say, ","))
	}
	if len(p.Series) == 0 || len(p.Series[0].X) < 2 {
		return Figure{}, false
	}
	return Figure{Name: "cvar", Title: "Tail risk", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: fmt.Sprintf("CVaR on the %s: mean loss of the worst share α of the rows. At 100\u00a0%% it is the mean of all rows.", e.Split),
		Alt:     "CVaR by share of worst rows. " + strings.Join(alt, "; ") + "."}, true
}

// figCalibration draws observed against predicted probabilities for two classes, or residuals for a numeric
// target.
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
			alt = append(alt, fmt.Sprintf("%s: highest tenth predicted %s, observed %s; ECE %s", m.Name, printable.Percent(s.X[n-1]), printable.Percent(s.Y[n-1]), printable.Number(float64(m.Overall.Of["ece"]))))
		}
	}
	if len(alt) == 0 {
		return Figure{}, false
	}
	return Figure{Name: "calibration", Title: "Calibration", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: "Rows by tenths of predicted probability. On the dotted diagonal predicted and observed frequencies agree.",
		Alt:     "Calibration by tenths. " + strings.Join(alt, "; ") + "."}, true
}

// figResiduals draws the residuals by tenths of the prediction.
func figResiduals(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	p := chart.Panel{XLabel: printable.WithUnit("mean prediction", e.TargetUnit), YLabel: printable.WithUnit("residual: target − prediction", e.TargetUnit), Zero: true, Height: 210}
	var alt []string
	for k, m := range e.Models {
		s := chart.Series{K: k, Marks: true}
		for _, b := range m.Residuals {
			s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Median))
			s.Lo, s.Hi = append(s.Lo, float64(b.P10)), append(s.Hi, float64(b.P90))
		}
		p.Series = append(p.Series, s)
		if n := len(s.X); n > 0 {
			alt = append(alt, fmt.Sprintf("%s: median residual %s in the lowest tenth, %s in the highest", m.Name, printable.Number(s.Y[0]), printable.Number(s.Y[n-1])))
		}
	}
	if len(alt) == 0 {
		return Figure{}, false
	}
	return Figure{Name: "residuals", Title: "Residuals", draw: chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries(e.Names())}.Drawing(),
		Caption: "Rows by tenths of the prediction. Thick line: median residual; thin lines: 10\u00a0% and 90\u00a0% quantiles.",
		Alt:     "Residuals by tenths of the prediction. " + strings.Join(alt, "; ") + "."}, true
}

// figCoefficients draws the largest coefficients of all models.
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
			addMark(&row, float64(v), nil)
			say += " " + c.Models[k] + " " + printable.Number(float64(v))
		}
		d.Rows = append(d.Rows, row)
		if i < mostSpoken {
			alt = append(alt, say)
		}
	}
	caption := "Per standard deviation of the column, largest first; the intercept is left out."
	if len(rows) > eval.MostCoefficients {
		caption += fmt.Sprintf(" The largest %d of %s.", eval.MostCoefficients, printable.Count(len(rows)))
	}
	return Figure{Name: "coefficients", Title: "Coefficients", draw: d.Drawing(), Caption: caption,
		Alt: "Coefficients. " + strings.Join(alt, "; ") + "."}, true
}

func riskLabel(e *eval.Evaluation) string {
	if e.Task != eval.Regression && e.LossUnit == "nats" {
		return "log loss (nats)"
	}
	if e.Loss == eval.RootMeanSquare {
		return printable.WithUnit("RMSE", e.LossUnit)
	}
	return printable.WithUnit("mean loss", e.LossUnit)
}
