package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A tile is a key number on the first screen, with its interval and baselines, as a drawing and in words, and the
// rows to which it refers.
type tile struct {
	Label, Value, About string
	Lines               []string      // lines on the interval, baselines and rows
	Outcome             string        // outcome of a criterion: pass, undecided, fail or not tested
	Strip               template.HTML // the drawing of the interval
	strip               *strip
}

// newTile returns a tile with a number, its interval and the baselines, as a drawing and as lines of text.
func (p *page) newTile(label, about string, s *strip, rows string) tile {
	t := tile{Label: label, About: about, Value: s.format(s.value), strip: s}
	if !math.IsNaN(s.low) && !math.IsNaN(s.high) {
		note := ""
		if s.worst != "" {
			note = ", valid whichever " + s.worst + " is worst:"
		}
		t.Lines = append(t.Lines, fmt.Sprintf("%s interval%s %s\u00a0to\u00a0%s", printable.WholePercent(p.E.Confidence),
			note, s.format(s.low), s.format(s.high)))
	}
	var baselines []string
	if !math.IsNaN(s.other) {
		baselines = append(baselines, p.Models[p.beside()]+" "+s.format(s.other))
	}
	if !math.IsNaN(s.constant) {
		baselines = append(baselines, "best constant prediction "+s.format(s.constant))
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

// measureStrip returns the strip of a measure of model k in a group, with marks for the model beside it and the best
// constant prediction.
func (p *page) measureStrip(m eval.Measure, h *eval.Group, k int, iv *eval.Interval) *strip {
	value, _ := h.Models[k].Values.Get(m.Key)
	s := newStrip(value, iv, func(x float64) string { return p.formatMeasure(m.Key, x) })
	s.isShare, s.isStandard = m.Unit == "share", p.beside() > 0
	s.least, s.greatest = m.Bounds()
	if o := p.beside(); o >= 0 {
		if v, ok := h.Models[o].Values.Get(m.Key); ok {
			s.other = v
		}
	}
	if x, ok := h.Constants[m.Key]; ok {
		s.constant = float64(x)
	}
	if !s.isShare {
		scale := max(math.Abs(s.value), math.Abs(s.low))
		s.format = func(x float64) string { return printable.NumberAtScale(x, scale) }
	}
	return s
}

// beside returns the index of the model whose values stand beside those of the shown model: the baseline or, if the
// baseline itself is shown, the model in focus. It returns −1 if there is a single model.
func (p *page) beside() int {
	switch k := p.E.Shown(); {
	case k > 0:
		return 0
	case p.E.Focus() > 0:
		return p.E.Focus()
	}
	return -1
}

// Tiles returns at most four key numbers of the shown model for the first screen: the leading measure over all rows; if
// there is a worst group, that measure in this group and, for classes, the loss in it unless the four-fifths rule is
// shown; otherwise the loss over all rows; measures that the leading one conceals, such as the lowest recall of a class;
// and the four-fifths rule.
func (p *page) Tiles() []tile {
	e := p.E
	k, all := e.Shown(), p.allRows()
	lead, risk := e.Leading(), e.Task.Risk()
	about := "predicted correctly"
	level, isQuantile := e.QuantileLevel()
	if isQuantile {
		about = prefixUnit(e.LossUnit, "lower is better")
	} else if e.Task == eval.Regression {
		about = prefixUnit(e.TargetUnit, "lower is better")
	} else if t := e.Threshold; t != nil && *t != 0.5 {
		about += " at threshold " + printable.Setting(float64(*t))
	}
	rows := printable.Plural(e.N, "row", "rows")
	out := []tile{p.newTile("All rows: "+p.leadName(lead), about,
		p.measureStrip(lead, all, k, p.overallInterval(k, lead)), rows)}
	if w := e.Models[k].WorstGroup; w != nil {
		out = append(out, p.worstTiles(k, lead, about)...)
	} else if !p.isRisk(lead) {
		out = append(out, p.newTile("All rows: "+p.lossName(), "lower is better",
			p.measureStrip(risk, all, k, p.overallInterval(k, risk)), rows))
	}
	switch {
	case isQuantile:
		m, _ := e.Task.Measure(eval.CoverageKey)
		out = append(out, p.newTile(m.Label, "predicted: "+nameQuantiles(level),
			p.measureStrip(m, all, k, p.overallInterval(k, m)), rows))
	case e.Task == eval.Binary:
		out = append(out, p.rareClassTile(all, k))
	case e.Task == eval.Multiclass:
		if g, h := p.leastFoundClass(k); h != nil {
			s := p.measureStrip(lead, h, k, e.SimultaneousInterval(g, h, k, lead))
			s.worst = "class"
			out = append(out, p.newTile("Lowest recall of a class: "+printable.Group(h.Label),
				"of "+printable.Plural(h.N, "row", "rows"), s, ""))
		}
	default:
		for _, m := range e.Task.Measures() {
			if m.Tile != "" {
				unit := ""
				if m.Unit == "target" {
					unit = e.TargetUnit
				}
				out = append(out, p.newTile(m.Label, prefixUnit(unit, m.Tile),
					p.measureStrip(m, all, k, p.overallInterval(k, m)), rows))
			}
		}
	}
	if t, ok := p.criterionTile(); ok {
		out = append(out, t)
	}
	return out[:min(4, len(out))]
}

// nameQuantiles names quantiles of the given level, as in "90 % quantiles".
func nameQuantiles(level float64) string { return fmt.Sprintf("%.6g\u00a0%% quantiles", 100*level) }

// overallInterval returns the interval of a measure of model k over all rows. The risk has the same interval under
// each of its names.
func (p *page) overallInterval(k int, m eval.Measure) *eval.Interval {
	if p.isRisk(m) {
		m = p.E.Task.Risk()
	}
	return p.E.Models[k].Intervals.Find(m.Key)
}

// leadName returns the name of the leading measure within a phrase.
func (p *page) leadName(m eval.Measure) string {
	if p.isRisk(m) {
		return p.lowerRiskName()
	}
	if m.Unit == "share" {
		return strings.ToLower(m.Label)
	}
	return m.Label
}

// lossName returns the name of the loss in words.
func (p *page) lossName() string {
	name := p.lowerRiskName()
	switch name {
	case "log loss":
		return name
	case "risk":
		name = "mean loss"
	}
	return printable.WithUnit(name, p.E.LossUnit)
}

// worstTiles returns the leading measure in the worst group of model k, and the loss in this group unless a
// different tile takes its place. The intervals hold simultaneously for all groups, since the group was selected as
// the worst; that of the loss holds whichever group is the worst.
func (p *page) worstTiles(k int, lead eval.Measure, about string) (out []tile) {
	e, g := p.E, p.E.Headline()
	w := e.Models[k].WorstGroup
	for i := range g.Groups {
		h := &g.Groups[i]
		if h.Label != w.Label {
			continue
		}
		group := fmt.Sprintf("%s · %s", printable.Group(h.Label), printable.Plural(h.N, "row", "rows"))
		label, rows := "Worst group", group
		if !e.IsWorstBy(lead, k) {
			label = "Group with the largest " + p.lowerRiskName() // criterion by which it is the worst
			if other := e.WorstBy(lead, k); other != nil {
				v, _ := other.Models[k].Values.Get(lead.Key)
				rows += fmt.Sprintf("; %s is worst in %s: %s", p.leadName(lead), printable.Group(other.Label),
					p.formatMeasure(lead.Key, v))
			}
		}
		s := p.measureStrip(lead, h, k, e.SimultaneousInterval(g, h, k, lead))
		s.worst = "group"
		out = append(out, p.newTile(label+": "+p.leadName(lead), about, s, rows))
		if _, ok := p.criterionTile(); !ok && e.Task != eval.Regression {
			s := p.measureStrip(e.Task.Risk(), h, k, w.MaxInterval)
			s.worst = "group"
			if o := p.beside(); o >= 0 && e.Models[o].WorstGroup != nil {
				s.other = float64(e.Models[o].WorstGroup.Risk) // of the group that is the worst with this model
			}
			out = append(out, p.newTile("Worst group: "+p.lossName(), "lower is better", s, group))
		}
	}
	return out
}

// leastFoundClass returns the class, of more than two, that model k recognises least often, and the grouping by
// class. It returns nil if no class has enough rows, or if the groups of the page are the classes.
func (p *page) leastFoundClass(k int) (g *eval.Grouping, least *eval.Group) {
	e := p.E
	if e.Task != eval.Multiclass {
		return nil, nil
	}
	lead := e.Task.Leading().Key
	for i := range e.Groupings[:max(0, len(e.Groupings)-1)] {
		if g = &e.Groupings[i]; g.Name != e.Target {
			continue
		}
		for j := range g.Groups {
			h := &g.Groups[j]
			if h.Sufficient && (least == nil || h.Models[k].Values.Of[lead] < least.Models[k].Values.Of[lead]) {
				least = h
			}
		}
		return g, least
	}
	return nil, nil
}

// rareClassTile returns the share of the rows of the rarer class that model k recognises, which an accuracy can
// hide.
func (p *page) rareClassTile(all *eval.Group, k int) tile {
	e := p.E
	share, _ := all.Models[k].Values.Get(eval.Prevalence)
	key, class := eval.TruePositiveRate, e.Positive
	found := func(x float64) float64 { return x }
	if share > 0.5 {
		// the rows recognised are those that are not false positives
		key, class = eval.FalsePositiveRate, e.Negative
		found = func(x float64) float64 { return 1 - x }
	}
	n := int(math.Round(min(share, 1-share) * float64(e.N)))
	m, _ := e.Task.Measure(key)
	s := p.measureStrip(m, all, k, all.Models[k].Intervals.Find(key))
	s.value, s.low, s.high, s.other, s.constant = found(s.value), found(s.low), found(s.high), found(s.other), 0
	if s.low > s.high {
		s.low, s.high = s.high, s.low
	}
	s.format = func(x float64) string { return printable.Percent(x) }
	label := "Recognised: rows of the rarer class"
	if class != "" {
		label = "Recognised: “" + p.withTarget(class) + "”"
	}
	return p.newTile(label, "of "+printable.Plural(n, "row", "rows"), s, "the rarer of the two classes")
}

// withTarget returns a value of the target in the form "target = value".
func (p *page) withTarget(value string) string {
	if prefix := p.E.Target + " = "; !strings.HasPrefix(value, prefix) {
		return prefix + value
	}
	return value
}

// criterionTile returns the tile of the four-fifths rule for the shown model. ok is false if the rule was not checked
// or the ratio is undefined.
func (p *page) criterionTile() (t tile, ok bool) {
	for _, c := range p.E.Criteria {
		if c.Key != eval.FourFifthsKey || c.Model != p.Models[p.E.Shown()] {
			continue
		}
		s := criterionStrip(&c)
		if !c.Value.Defined() {
			return t, false
		}
		t = p.newTile(fmt.Sprintf("Rate of predicted “%s”, lowest ÷ highest", p.withTarget(p.E.Favourable.Value)),
			"four-fifths rule", s,
			p.nameTied(&c, c.Low)+" against "+p.nameTied(&c, c.High))
		if t.Outcome = c.Outcome; t.Outcome == "untested" {
			t.Outcome = "not tested"
		}
		return t, true
	}
	return t, false
}

// criterionStrip returns the strip of a criterion with its limit, in the format of its numbers.
func criterionStrip(c *eval.Criterion) *strip {
	s := newStrip(float64(c.Value), c.Interval, func(x float64) string { return criterionText(c, x, points) })
	s.limit, s.isShare = c.Limit, true
	if c.Key == eval.FourFifthsKey {
		s.isShare = false
		marks := append(s.marks(), 1)
		s.bottom, s.top = axisOf(marks, false)
		if !slices.ContainsFunc(marks, func(x float64) bool { return x > 1 }) { // without a reference group, none is
			s.top = 1
		}
	}
	return s
}

// The unit of differences of rates, after a number: in sentences, and where there is little room.
const (
	percentagePoints = "\u00a0percentage points"
	points           = "\u00a0points"
)

// criterionText formats a number of a criterion, with this unit if it is a difference of rates, and with enough digits
// to show on which side of the limit it is.
func criterionText(c *eval.Criterion, x float64, unit string) string {
	if c.Key == eval.FourFifthsKey {
		return printable.Beside(x, c.Limit, 3)
	}
	return printable.Beside(100*x, 100*c.Limit, 1) + unit
}

// A legendEntry is a mark in the tiles with its meaning.
type legendEntry struct {
	Mark template.HTML
	Name string
}

// Legend returns the marks that occur in the tiles.
func (p *page) Legend() (out []legendEntry) {
	has := func(of func(s *strip) float64) bool {
		return slices.ContainsFunc(p.Tiles(), func(t tile) bool { return t.Strip != "" && !math.IsNaN(of(t.strip)) })
	}
	other := ""
	if o := p.beside(); o >= 0 {
		other = p.Models[o]
	}
	own, beside, tone := dotMark, diamondMark, "iv"
	if p.beside() > 0 {
		own, beside, tone = diamondMark, dotMark, "iv c0"
	}
	name, mark := p.Models[p.E.Shown()], own("13", 7, "")
	if has(func(s *strip) float64 { return s.low }) {
		name, mark = name+", with its interval", `<line class="`+tone+`" x1="2" x2="24" y1="7" y2="7"/>`+mark
	}
	out = append(out, legendEntry{template.HTML(mark), name})
	for _, c := range []struct {
		of         func(s *strip) float64
		mark, name string
	}{
		{func(s *strip) float64 { return s.other }, beside("13", 7, ""), other},
		{func(s *strip) float64 { return s.constant }, `<line class="const" x1="13" x2="13" y1="1" y2="13"/>`,
			"best constant prediction for these rows"},
		{func(s *strip) float64 { return s.limit }, `<line class="limit" x1="13" x2="13" y1="0" y2="14"/>`, "limit"},
	} {
		if has(c.of) {
			out = append(out, legendEntry{template.HTML(c.mark), c.name})
		}
	}
	return out
}
