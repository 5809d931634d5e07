package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A tile is a lead number of the first screen: with its interval and baselines, drawn and in words, and its rows.
type tile struct {
	Label, Value, About string
	Lines               []string      // interval, baselines, rows
	Outcome             string        // of a criterion: pass, undecided, fail
	Strip               template.HTML // the drawing
}

// A strip is the drawing of a tile: one axis with a number, its interval and what it is compared with. NaN marks are not
// drawn.
type strip struct {
	value, low, high          float64 // the number and the ends of its interval
	standard, constant, limit float64 // the standard model, the constant prediction, the limit of a criterion
	isShare                   bool
	bottom, top               float64 // ends of the axis; equal: from the marks
	format                    func(x float64) string
}

// newTile returns a tile with the number, its interval and the baselines, as a drawing and as lines of text.
func (p *page) newTile(label, about string, s strip, rows string) tile {
	t := tile{Label: label, About: about, Value: s.format(s.value)}
	if !math.IsNaN(s.low) && !math.IsNaN(s.high) {
		t.Lines = append(t.Lines, fmt.Sprintf("%s interval %s to %s", printable.WholePercent(p.E.Confidence), s.format(s.low), s.format(s.high)))
	}
	var baselines []string
	if !math.IsNaN(s.standard) {
		baselines = append(baselines, p.Models[0]+" "+s.format(s.standard))
	}
	if !math.IsNaN(s.constant) {
		baselines = append(baselines, "constant "+s.format(s.constant))
	}
	if !math.IsNaN(s.limit) {
		baselines = append(baselines, "limit "+s.format(s.limit))
	}
	if baselines != nil {
		t.Lines = append(t.Lines, strings.Join(baselines, " · "))
	}
	if rows != "" {
		t.Lines = append(t.Lines, rows)
	}
	t.Strip = s.draw(label + ": " + strings.Join(append([]string{t.Value}, t.Lines...), "; "))
	return t
}

// axis returns the ends of the axis: those of the marks, with room on both sides.
func (s *strip) axis() (bottom, top float64) {
	if s.bottom < s.top {
		return s.bottom, s.top
	}
	bottom, top = math.Inf(1), math.Inf(-1)
	for _, x := range []float64{s.value, s.low, s.high, s.standard, s.constant, s.limit} {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			bottom, top = min(bottom, x), max(top, x)
		}
	}
	room := 0.1 * (top - bottom)
	switch {
	case s.isShare:
		return max(0, math.Floor(10*(bottom-0.02))/10), min(1, math.Ceil(10*(top+0.02))/10)
	case !(room > 0):
		room = max(math.Abs(top)/10, 1e-9)
	}
	if bottom >= 0 {
		return max(0, bottom-room), top + room
	}
	return bottom - room, top + room
}

// draw returns the drawing. Its coordinates are percentages, so text and marks keep their size at every width.
func (s *strip) draw(alt string) template.HTML {
	bottom, top := s.axis()
	if math.IsNaN(s.value) || !(top > bottom) || math.IsInf(top-bottom, 0) {
		return ""
	}
	at := func(x float64) string {
		return fmt.Sprintf("%.1f%%", 3+94*min(1, max(0, (x-bottom)/(top-bottom))))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" width="100%%" height="44" role="img" aria-label="%s"><line class="ax" x1="0" x2="100%%" y1="13" y2="13"/>`, template.HTMLEscapeString(alt))
	mark := func(class string, x float64, y1, y2 int) {
		if !math.IsNaN(x) {
			fmt.Fprintf(&b, `<line class="%s" x1="%[2]s" x2="%[2]s" y1="%[3]d" y2="%[4]d"/>`, class, at(x), y1, y2)
		}
	}
	mark("limit", s.limit, 0, 26)
	mark("const", s.constant, 4, 22)
	if !math.IsNaN(s.low) && !math.IsNaN(s.high) {
		fmt.Fprintf(&b, `<line class="iv" x1="%s" x2="%s" y1="13" y2="13"/>`, at(s.low), at(s.high))
		for _, end := range []float64{s.low, s.high} {
			if end >= bottom && end <= top {
				mark("iv", end, 8, 18)
			}
		}
	}
	if !math.IsNaN(s.standard) {
		fmt.Fprintf(&b, `<circle class="std" cx="%s" cy="13" r="5"/>`, at(s.standard))
	}
	fmt.Fprintf(&b, `<circle class="dot" cx="%s" cy="13" r="5"/>`, at(s.value))
	fmt.Fprintf(&b, `<text x="0" y="40">%s</text><text x="100%%" y="40" text-anchor="end">%s</text></svg>`, template.HTMLEscapeString(s.format(bottom)), template.HTMLEscapeString(s.format(top)))
	return template.HTML(b.String())
}

// measureTile returns the tile of a measure of the model in focus over rows with values of; iv is its interval.
func (p *page) measureTile(label, about string, m eval.Measure, of eval.Values, iv *eval.Interval, before *eval.Values, n int, rows string) tile {
	nan := math.NaN()
	s := strip{low: nan, high: nan, standard: nan, constant: nan, limit: nan, isShare: m.Unit == "share",
		format: func(x float64) string { return p.formatMeasure(m.Key, x, n) }}
	s.value, _ = of.Get(m.Key)
	if iv != nil {
		s.low, s.high = float64(iv.Low), float64(iv.High)
	}
	if before != nil {
		s.standard, _ = before.Get(m.Key)
	}
	if x, ok := p.E.ConstantValue(m, of, n); ok {
		s.constant = x
	}
	if m.Unit == "" || m.Unit == "loss" || m.Unit == "target" {
		scale := max(math.Abs(s.value), math.Abs(s.low))
		s.format = func(x float64) string { return printable.NumberAtScale(x, scale) }
	}
	return p.newTile(label, about, s, rows)
}

// Tiles returns the lead numbers of the first screen: the leading measure over all rows and in the worst group, what it
// hides, and the four-fifths rule or the loss in the worst group.
func (p *page) Tiles() []tile {
	e := p.E
	k := e.Focus()
	lead := e.Task.Leading()
	model, standard := &e.Models[k], &e.Models[0]
	var before *eval.Values
	if k > 0 {
		before = &standard.Overall
	}
	about := "predicted correctly"
	if e.Task == eval.Regression {
		about = prefixUnit(e.TargetUnit, "lower is better")
	} else if t := e.Threshold; t != nil && *t != 0.5 {
		about += " at threshold " + printable.FourDigits(float64(*t))
	}
	rows := printable.Plural(e.N, "row", "rows")
	out := []tile{p.measureTile("All rows: "+leadName(lead), about, lead, model.Overall, model.Intervals.Find(lead.Key), before, e.N, rows)}
	if w := model.WorstGroup; w != nil {
		out = append(out, p.worstTiles(k, lead, about)...)
	} else {
		out = append(out, tile{Label: "Worst 10\u00a0% of the rows", Value: printable.Number(float64(model.CVaRAt(eval.TailAlpha))), About: p.lossName() + ", CVaR₀.₁; lower is better", Lines: []string{rows}})
	}
	switch e.Task {
	case eval.Binary:
		out = append(out, p.rareClassTile(model, before))
	case eval.Regression:
		if m, ok := e.Task.Measure("median_ae"); ok {
			out = append(out, p.measureTile(m.Label, prefixUnit(e.TargetUnit, "half of the errors are smaller"), m, model.Overall, model.Intervals.Find(m.Key), before, e.N, rows))
		}
		if m, ok := e.Task.Measure("bias"); ok {
			out = append(out, p.measureTile(m.Label, prefixUnit(e.TargetUnit, "mean of prediction − target"), m, model.Overall, model.Intervals.Find(m.Key), before, e.N, rows))
		}
	case eval.Multiclass:
		if m, ok := e.Task.Measure("macro_f1"); ok {
			out = append(out, p.measureTile(m.Label, "mean over the classes", m, model.Overall, nil, before, e.N, rows))
		}
	}
	if t, ok := p.criterionTile(); ok {
		out = append(out, t)
	}
	return out[:min(4, len(out))]
}

// leadName names the leading measure within a phrase.
func leadName(m eval.Measure) string {
	if m.Unit == "share" {
		return strings.ToLower(m.Label)
	}
	return m.Label
}

// lossName names the loss in words.
func (p *page) lossName() string {
	if p.riskName() == "Log loss" {
		return "log loss"
	}
	return printable.WithUnit("mean loss", p.E.LossUnit)
}

// worstTiles returns the leading measure in the worst group of model k, and the loss there unless another tile takes its
// place.
func (p *page) worstTiles(k int, lead eval.Measure, about string) (out []tile) {
	e, g := p.E, p.E.Headline()
	w := e.Models[k].WorstGroup
	for i := range g.Groups {
		h := &g.Groups[i]
		if h.Label != w.Label {
			continue
		}
		var before *eval.Values
		if k > 0 {
			before = &h.Models[0].Values
		}
		rows := fmt.Sprintf("%s · %s", printable.Group(h.Label), printable.Plural(h.N, "row", "rows"))
		out = append(out, p.measureTile("Worst group: "+leadName(lead), about, lead, h.Models[k].Values, h.Models[k].Intervals.Find(lead.Key), before, h.N, rows))
		if _, ok := p.criterionTile(); !ok && e.Task != eval.Regression {
			risk := e.Task.Measures()[0]
			out = append(out, p.measureTile("Worst group: "+p.lossName(), "lower is better", risk, h.Models[k].Values, w.MaxInterval, before, h.N, rows))
		}
	}
	return out
}

// rareClassTile returns how many rows of the rarer class are found: what an accuracy hides.
func (p *page) rareClassTile(m *eval.ModelResult, before *eval.Values) tile {
	e := p.E
	share, _ := m.Overall.Get("prevalence")
	key, class := "tpr", "“"+e.Positive+"”"
	if e.Positive == "" {
		class = "the positive class"
	}
	if share > 0.5 {
		key, class = "fpr", "not "+class // found are those that are not mistaken
	}
	n := int(math.Round(min(share, 1-share) * float64(e.N)))
	found := func(v *eval.Values) float64 {
		if v == nil {
			return math.NaN()
		}
		x, _ := v.Get(key)
		if key == "fpr" {
			x = 1 - x
		}
		return x
	}
	s := strip{value: found(&m.Overall), low: math.NaN(), high: math.NaN(), standard: found(before), constant: 0, limit: math.NaN(), isShare: true,
		format: func(x float64) string { return printable.PercentOf(x, n) }}
	if iv := m.Intervals.Find(key); iv != nil {
		if s.low, s.high = float64(iv.Low), float64(iv.High); key == "fpr" {
			s.low, s.high = 1-s.high, 1-s.low
		}
	}
	return p.newTile("Found of the rarer class", "of "+printable.Count(n), s, fmt.Sprintf("%s of %s are %s", printable.Count(n), printable.Plural(e.N, "row", "rows"), class))
}

// criterionTile returns the tile of the four-fifths rule for the model in focus. ok is false if it was not checked.
func (p *page) criterionTile() (t tile, ok bool) {
	for _, c := range p.E.Criteria {
		if c.Key != "four_fifths" || c.Model != p.Models[p.E.Focus()] {
			continue
		}
		s := strip{value: float64(c.Value), low: math.NaN(), high: math.NaN(), standard: math.NaN(), constant: math.NaN(), limit: c.Limit,
			format: func(x float64) string { return printable.NumberAtScale(x, 10) }}
		if c.Interval != nil {
			s.low, s.high = float64(c.Interval.Low), float64(c.Interval.High)
		}
		s.bottom, s.top = max(0, math.Floor(10*min(s.value, c.Limit, s.low)-0.5)/10), max(1, s.value, s.high)
		if math.IsNaN(s.bottom) {
			s.bottom = 0
		}
		if math.IsNaN(s.top) {
			s.top = max(1, s.value)
		}
		t = p.newTile(fmt.Sprintf("Rates of “%s”, lowest ÷ highest", p.E.Favourable.Value), "four-fifths rule", s, printable.Group(c.Low)+" against "+printable.Group(c.High))
		t.Outcome = c.Outcome
		return t, true
	}
	return t, false
}
