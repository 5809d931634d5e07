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

// A Figure is a drawing of a report.
type Figure struct {
	Name    string // file name without extension, e.g. "risk-by-group"
	Title   string
	Alt     string // description of the drawing in words, with its numbers
	Caption string // how to read the drawing: the meaning of bars and scales
	drawing chart.Drawing
}

// SVG returns the figure as a separate SVG document, with text in Liberation Sans or a substitute.
func (f Figure) SVG() ([]byte, error) { return f.drawing.SVG() }

// PNG returns the figure as an image with 200 dots per inch.
func (f Figure) PNG() ([]byte, error) { return f.drawing.PNG() }

// PDF returns the figure as a PDF page, with text as outlines.
func (f Figure) PDF() ([]byte, error) { return f.drawing.PDF() }

// Figures returns the figures of the report in the order of the page. Figures without data are omitted.
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

// fewGroups is the maximum number of groups for which figures show all models; if there are more, they show the
// baseline and the model in focus.
const fewGroups = 12

// maxDots is the maximum number of rows in a dot chart; the table has the other rows.
const maxDots = 20

// maxCoefficients is the number of coefficients in a figure; the table has more.
const maxCoefficients = 15

// linesByModel draws one line for every model. It returns false if no model has a point. add adds the points of a
// model and returns a description of them.
func linesByModel(
	e *eval.Evaluation, f Figure, l chart.Lines, marks bool, add func(m *eval.ModelResult, s *chart.Series) string,
) (Figure, bool) {
	var said []string
	for k := range e.Models {
		m, s := &e.Models[k], chart.Series{K: seriesOf(e, k), Marks: marks}
		words := add(m, &s)
		l.Series = append(l.Series, s)
		if len(s.X) > 0 {
			said = append(said, m.Name+": "+words)
		}
	}
	if len(said) == 0 {
		return Figure{}, false
	}
	l.Legend = chart.Entries(e.Names())
	for k := range l.Legend {
		l.Legend[k].K = seriesOf(e, l.Legend[k].K)
	}
	f.drawing, f.Alt = l.Drawing(), f.Alt+strings.Join(said, "; ")+"."
	return f, true
}

// figCVaR draws CVaR as a function of the proportion of rows in the tail.
func figCVaR(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	if len(e.Models[0].CVaR) < 2 {
		return Figure{}, false
	}
	f := Figure{Name: "cvar", Title: "Tail risk", Alt: "CVaR by fraction of worst rows. ",
		Caption: fmt.Sprintf(
			"CVaR on %s: mean loss of the worst fraction α of the rows. At α = 100\u00a0%%, CVaR is the mean loss of "+
				"all rows.", e.DescribeRows())}
	if e.Loss == eval.RootMeanSquare { // the root of CVaR
		f.Alt = "RMSE by fraction of worst rows. "
		f.Caption = fmt.Sprintf("RMSE of the worst fraction α of the %s. At α = 100\u00a0%%, it is the RMSE of all rows.",
			e.DescribeRows())
	}
	l := chart.Lines{XLabel: "worst fraction of the rows, α", YLabel: riskLabel(e) + " of the worst fraction α of the " +
		"rows",
		XLog: true, XShare: true}
	return linesByModel(e, f, l, false, func(m *eval.ModelResult, s *chart.Series) string {
		var words []string
		for _, q := range m.CVaR {
			s.X, s.Y = append(s.X, q.Alpha), append(s.Y, float64(q.Value))
			if q.Alpha == 0.01 || q.Alpha == 0.1 || q.Alpha == 1 {
				words = append(words, fmt.Sprintf("%s at α = %s", printable.Number(float64(q.Value)), chart.Percent(q.Alpha)))
			}
		}
		return strings.Join(words, ", ")
	})
}

// figCalibration draws observed against predicted probabilities for two classes, or residuals for a numeric
// target.
func figCalibration(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	switch e.Task {
	case eval.Binary:
		f := Figure{Name: "calibration", Title: "Calibration", Alt: "Calibration by tenths. ",
			Caption: "Rows are divided into tenths by predicted probability. On the dotted diagonal, predicted and " +
				"observed frequencies agree."}
		l := chart.Lines{XLabel: "mean predicted probability", YLabel: "observed share of positives", Square: true,
			XShare: true, YShare: true, Height: 230}
		return linesByModel(e, f, l, true, func(m *eval.ModelResult, s *chart.Series) (last string) {
			for _, b := range m.Calibration {
				s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Observed))
				last = fmt.Sprintf("in the highest tenth, predicted %s and observed %s; ECE %s",
					printable.Percent(float64(b.Predicted)),
					printable.Percent(float64(b.Observed)), printable.Number(float64(m.Overall.Of[eval.CalibrationError])))
			}
			return last
		})
	case eval.Regression:
		f := Figure{Name: "residuals", Title: "Residuals", Alt: "Residuals by tenths of the prediction. ",
			Caption: "Rows are divided into tenths by prediction. Thick line: median residual; thin lines: 10\u00a0% and " +
				"90\u00a0% quantiles."}
		l := chart.Lines{XLabel: printable.WithUnit("mean prediction", e.TargetUnit),
			YLabel: printable.WithUnit("residual: target − prediction", e.TargetUnit), Zero: true, Height: 210}
		return linesByModel(e, f, l, true, func(m *eval.ModelResult, s *chart.Series) (ends string) {
			for _, b := range m.Residuals {
				s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Median))
				s.Lo, s.Hi = append(s.Lo, float64(b.P10)), append(s.Hi, float64(b.P90))
				ends = fmt.Sprintf("median residual %s in the lowest tenth, %s in the highest", printable.Number(s.Y[0]),
					printable.Number(float64(b.Median)))
			}
			return ends
		})
	}
	return Figure{}, false
}

// figCoefficients draws the largest coefficients of all models.
func figCoefficients(r *eval.Report) (Figure, bool) {
	c := r.Coefficients
	if c == nil || len(c.Rows) == 0 {
		return Figure{}, false
	}
	d := chart.Dots{Names: c.Models, XLabel: cmp.Or(c.Scaled, "coefficient "+c.PerStep()), Ref: []float64{0}}
	if len(c.Models) == 1 {
		d.First = 1
	}
	isLeftOut := func(q eval.Coefficient) bool { return len(q.Scaled) != len(c.Models) || eval.IsIntercept(q.Name) }
	left := 0
	for _, q := range c.Rows {
		if isLeftOut(q) {
			left++
		}
	}
	drawable := len(c.Rows) - left
	if drawable == 0 {
		return Figure{}, false
	}
	shown := r.Evaluation.Models[r.Evaluation.Shown()].Name
	rows := slices.DeleteFunc(c.Largest(shown, maxCoefficients+left), isLeftOut)
	var alt []string
	for i, q := range rows[:min(len(rows), maxCoefficients)] {
		row := chart.Dot{Label: q.Name}
		say := q.Name + ":"
		for k, v := range q.Scaled { // has the length of Models: see above
			addMark(&row, float64(v), nil)
			say += " " + c.Models[k] + " " + printable.Number(float64(v))
		}
		d.Rows = append(d.Rows, row)
		if i < maxSpoken {
			alt = append(alt, say)
		}
	}
	caption := fmt.Sprintf("Coefficients %s of their column, largest first; the intercept is omitted.%s", c.PerStep(),
		c.AboutSteps())
	if drawable > maxCoefficients {
		caption += fmt.Sprintf(" Only the largest %d of %s coefficients are drawn.", maxCoefficients,
			printable.Count(drawable))
	}
	return Figure{Name: "coefficients", Title: "Coefficients", drawing: d.Drawing(), Caption: caption,
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

// ChoiceFigure draws the candidates for the level. ok is false if there are none.
func ChoiceFigure(c *eval.Choice) (Figure, bool) { return figFrontier(&eval.Report{Choice: c}) }

// seriesOf returns the colour and mark of model k in figures. The model in focus has 1 and the baseline 0, as in
// the tiles.
func seriesOf(e *eval.Evaluation, k int) int {
	if len(e.Models) == 1 {
		return 1
	}
	return k
}

// colourOf returns the colour and mark of a family of candidates: those of the corresponding model in other
// figures, or otherwise the first unused ones. e may be nil.
func colourOf(e *eval.Evaluation, c *eval.Choice, family string, used []chart.Series) int {
	k := 2
	switch {
	case family == c.Best().Family:
		return 1
	case family == c.Candidates[0].Family:
		return 0
	case e != nil:
		if i := slices.Index(e.Names(), family); i > 1 {
			return i
		}
		k = max(k, len(e.Models))
	}
	// series 5 looks like series 1
	for k == 5 || slices.ContainsFunc(used, func(s chart.Series) bool { return s.K == k }) {
		k++
	}
	return k
}

// figFrontier draws the criterion of the candidates against their average risk, with one standard error of the
// differences from ERM.
func figFrontier(r *eval.Report) (Figure, bool) {
	c := r.Choice
	if c == nil || c.Best() == nil || len(c.Candidates) < 2 {
		return Figure{}, false
	}
	best := c.Best()
	where := "out of fold"
	if c.Validation > 0 {
		where = "on the validation rows"
	}
	lines := chart.Lines{XLabel: c.AverageName(), YLabel: c.Criterion, Height: 260}
	var names []string
	candidates := slices.Clone(c.Candidates)
	slices.SortStableFunc(candidates, func(a, b eval.Candidate) int { return cmp.Compare(a.Average, b.Average) })
	for _, k := range c.Candidates { // families in the order of their first candidates
		if !slices.Contains(names, k.Family) {
			names = append(names, k.Family)
			lines.Series = append(lines.Series, chart.Series{K: colourOf(r.Evaluation, c, k.Family, lines.Series), Marks: true})
		}
	}
	for _, k := range candidates {
		line := &lines.Series[slices.Index(names, k.Family)]
		y, se := float64(k.Value), float64(k.SE)
		line.X, line.Y = append(line.X, float64(k.Average)), append(line.Y, y)
		line.Lo, line.Hi = append(line.Lo, y-se), append(line.Hi, y+se)
	}
	lines.Legend = chart.Entries(names)
	for k := range lines.Legend {
		lines.Legend[k].K = lines.Series[k].K
	}
	lines.Legend = append(lines.Legend, chart.Entry{Name: "chosen: " + best.Name, Ring: true})
	lines.Series = append(lines.Series, chart.Series{X: []float64{float64(best.Average)},
		Y: []float64{float64(best.Value)}, Ring: true})
	plain := &c.Candidates[0]
	return Figure{
		Name: "frontier", Title: "What was tried", drawing: lines.Drawing(),
		Caption: "Each point is a candidate: its criterion (vertical axis) and its " + c.AverageName() + " (horizontal axis) " +
			where + ". Lower left is better; the ring marks the chosen candidate. Coloured lines join candidates of one kind " +
			"that differ in robustness or μ; thin bars show ± one standard error of the change from the first candidate, " +
			"computed from paired rows.",
		Alt: fmt.Sprintf("The %s and the %s of %d models, %s. ERM has %s and %s; the chosen model (%s) has %s and %s.",
			c.AverageName(), c.Criterion, len(c.Candidates), where,
			printable.Number(float64(plain.Average)), printable.Number(float64(plain.Value)), best.Name, printable.Number(
				float64(best.Average)), printable.Number(float64(best.Value))),
	}, true
}
