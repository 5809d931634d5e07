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

// newTile returns a tile with the number, its interval and the baselines, as a drawing and as lines of text.
func (p *page) newTile(label, about string, s *strip, rows string) tile {
	t := tile{Label: label, About: about, Value: s.format(s.value)}
	if !math.IsNaN(s.low) && !math.IsNaN(s.high) {
		t.Lines = append(t.Lines, fmt.Sprintf("%s interval %s to %s", printable.WholePercent(p.E.Confidence), s.format(s.low),
			s.format(s.high)))
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

// measureStrip returns the strip of a measure of model k in a group, beside the standard model and the best constant
// prediction.
func (p *page) measureStrip(m eval.Measure, h *eval.Group, k int, iv *eval.Interval) *strip {
	value, _ := h.Models[k].Values.Get(m.Key)
	s := newStrip(value, iv, func(x float64) string { return p.formatMeasure(m.Key, x) })
	s.isShare = m.Unit == "share"
	if k > 0 {
		s.standard, _ = h.Models[0].Values.Get(m.Key)
	}
	if x, ok := p.E.ConstantValue(m, &h.Models[k], h.N); ok {
		s.constant = x
	}
	if !s.isShare {
		scale := max(math.Abs(s.value), math.Abs(s.low))
		s.format = func(x float64) string { return printable.NumberAtScale(x, scale) }
	}
	return s
}

// Tiles returns the lead numbers of the first screen: the leading measure over all rows and in the worst group, what it
// hides, and the four-fifths rule or the loss in the worst group.
func (p *page) Tiles() []tile {
	e := p.E
	k, all := e.Focus(), p.allRows()
	lead, risk := e.Task.Leading(), e.Task.Risk()
	about := "predicted correctly"
	if e.Task == eval.Regression {
		about = prefixUnit(e.TargetUnit, "lower is better")
	} else if t := e.Threshold; t != nil && *t != 0.5 {
		about += " at threshold " + printable.FourDigits(float64(*t))
	}
	rows := printable.Plural(e.N, "row", "rows")
	out := []tile{p.newTile("All rows: "+leadName(lead), about,
		p.measureStrip(lead, all, k, p.overallInterval(k, lead)), rows)}
	if w := e.Models[k].WorstGroup; w != nil {
		out = append(out, p.worstTiles(k, lead, about)...)
	} else if !e.IsRisk(lead) {
		out = append(out, p.newTile("All rows: "+p.lossName(), "lower is better",
			p.measureStrip(risk, all, k, p.overallInterval(k, risk)), rows))
	}
	switch e.Task {
	case eval.Binary:
		out = append(out, p.rareClassTile(all, k))
	default:
		for _, m := range e.Task.Measures() {
			if m.Tile != "" {
				out = append(out, p.newTile(m.Label, prefixUnit(e.TargetUnit, m.Tile),
					p.measureStrip(m, all, k, p.overallInterval(k, m)), rows))
			}
		}
	}
	if t, ok := p.criterionTile(); ok {
		out = append(out, t)
	}
	return out[:min(4, len(out))]
}

// overallInterval returns the interval of a measure of model k over all rows. The risk has one interval under all of
// its names.
func (p *page) overallInterval(k int, m eval.Measure) *eval.Interval {
	if p.E.IsRisk(m) {
		m = p.E.Task.Risk()
	}
	return p.E.Models[k].Intervals.Find(m.Key)
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

// worstTiles returns the leading measure in the worst group of model k, and the loss there unless another tile takes
// its place. The intervals hold for all groups together, since the group was picked as the worst.
func (p *page) worstTiles(k int, lead eval.Measure, about string) (out []tile) {
	e, g := p.E, p.E.Headline()
	w := e.Models[k].WorstGroup
	for i := range g.Groups {
		h := &g.Groups[i]
		if h.Label != w.Label {
			continue
		}
		rows := fmt.Sprintf("%s · %s", printable.Group(h.Label), printable.Plural(h.N, "row", "rows"))
		label := "Worst group"
		here, _ := h.Models[k].Values.Get(lead.Key)
		if all, _ := e.Models[k].Overall.Get(lead.Key); all != here && (lead.Better == eval.More) == (here > all) {
			label = "Group with the largest " + p.lowerRiskName() // by which it is the worst
		}
		out = append(out, p.newTile(label+": "+leadName(lead), about,
			p.measureStrip(lead, h, k, e.SimultaneousInterval(g, h, k, lead)), rows))
		if _, ok := p.criterionTile(); !ok && e.Task != eval.Regression {
			out = append(out, p.newTile("Worst group: "+p.lossName(), "lower is better",
				p.measureStrip(e.Task.Risk(), h, k, w.MaxInterval), rows))
		}
	}
	return out
}

// rareClassTile returns how many rows of the rarer class model k finds: what an accuracy hides.
func (p *page) rareClassTile(all *eval.Group, k int) tile {
	e := p.E
	share, _ := all.Models[k].Values.Get(eval.Prevalence)
	key, class := eval.TruePositiveRate, "“"+e.Positive+"”"
	if e.Positive == "" {
		class = "the positive class"
	}
	found := func(x float64) float64 { return x }
	if share > 0.5 {
		key, class = eval.FalsePositiveRate, "not "+class // found are those that are not mistaken
		found = func(x float64) float64 { return 1 - x }
	}
	n := int(math.Round(min(share, 1-share) * float64(e.N)))
	m, _ := e.Task.Measure(key)
	s := p.measureStrip(m, all, k, all.Models[k].Intervals.Find(key))
	s.value, s.low, s.high, s.standard, s.constant = found(s.value), found(s.low), found(s.high), found(s.standard), 0
	if s.low > s.high {
		s.low, s.high = s.high, s.low
	}
	s.format = func(x float64) string { return printable.Percent(x) }
	return p.newTile("Found of the rarer class", "of "+printable.Count(n), s,
		fmt.Sprintf("%s of %s are %s", printable.Count(n), printable.Plural(e.N, "row", "rows"), class))
}

// criterionTile returns the tile of the four-fifths rule for the model in focus. ok is false if it was not checked.
func (p *page) criterionTile() (t tile, ok bool) {
	for _, c := range p.E.Criteria {
		if c.Key != eval.FourFifthsKey || c.Model != p.Models[p.E.Focus()] {
			continue
		}
		s := criterionStrip(&c)
		t = p.newTile(fmt.Sprintf("Rates of “%s”, lowest ÷ highest", p.E.Favourable.Value), "four-fifths rule", s,
			printable.Group(c.Low)+" against "+printable.Group(c.High))
		t.Outcome = c.Outcome
		return t, true
	}
	return t, false
}

// criterionStrip returns the strip of a criterion with its limit, in the format of its numbers.
func criterionStrip(c *eval.Criterion) *strip {
	format := func(x float64) string { return printable.Points(x) + "\u00a0points" }
	if c.Key == eval.FourFifthsKey {
		format = func(x float64) string { return printable.NumberAtScale(x, 10) }
	}
	s := newStrip(float64(c.Value), c.Interval, format)
	s.limit, s.isShare = c.Limit, true
	if c.Key == eval.FourFifthsKey {
		s.isShare = false
		s.bottom, s.top = axisOf(append(s.marks(), 1), false)
	}
	return s
}
