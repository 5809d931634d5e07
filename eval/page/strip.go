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

// A strip is a drawing of a number on an axis, with its interval and the values to compare it with. NaN
// values are not drawn.
type strip struct {
	value, low, high float64 // the number and the limits of its interval
	// value of the model beside the shown one, value of the constant prediction, limit of a criterion
	other, constant, limit float64
	least, greatest        float64 // bounds of the measure, beyond which the axis does not extend
	isShare                bool
	worst                  string  // "group" or "class" if the interval is valid whichever of them is worst
	isStandard             bool    // whether value is that of the standard model, beside another model
	hasZero                bool    // whether a line marks 0
	tone                   string  // CSS class of the number and its interval: "", "good", "bad" or "grey"
	bottom, top            float64 // ends of the axis; if equal, they are derived from the marks
	format                 func(x float64) string
}

// newStrip returns a strip of a number with its interval, which may be nil, and without other marks.
func newStrip(value float64, iv *eval.Interval, format func(x float64) string) *strip {
	nan := math.NaN()
	s := &strip{value: value, low: nan, high: nan, other: nan, constant: nan, limit: nan,
		least: math.Inf(-1), greatest: math.Inf(1), format: format}
	if iv != nil {
		s.low, s.high = float64(iv.Low), float64(iv.High)
	}
	return s
}

// changeStrip returns the strip of a difference. It is blue below 0, which is better, red above 0, and grey if the
// interval contains 0.
func changeStrip(d *eval.Difference) *strip {
	s := newStrip(float64(d.Value), d.Interval, printable.Number)
	s.hasZero, s.tone = true, "grey"
	if side, ok := d.Direction(); ok {
		s.tone = map[bool]string{true: "bad", false: "good"}[side > 0]
	}
	return s
}

// marks returns all values that the axis must include.
func (s *strip) marks() []float64 {
	out := []float64{s.value, s.low, s.high, s.other, s.constant, s.limit}
	if s.hasZero {
		out = append(out, 0)
	}
	return out
}

// axisOf returns the ends of an axis that includes marks. They are round numbers, or multiples of 10 % for shares.
func axisOf(marks []float64, isShare bool) (bottom, top float64) {
	bottom, top = math.Inf(1), math.Inf(-1)
	for _, x := range marks {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			bottom, top = min(bottom, x), max(top, x)
		}
	}
	if isShare {
		return max(0, math.Floor(10*(bottom-0.02))/10), min(1, math.Ceil(10*(top+0.02))/10)
	}
	width := top - bottom
	if !(width > 0) {
		width = max(math.Abs(top)/5, 1e-9)
	}
	step := math.Pow(10, math.Floor(math.Log10(width)))
	for width/step < 4 {
		step /= 2
	}
	low, high := step*math.Floor((bottom-width/20)/step), step*math.Ceil((top+width/20)/step)
	if bottom >= 0 {
		low = max(0, low)
	}
	return low, high
}

// axisRange returns the ends of the axis.
func (s *strip) axisRange() (bottom, top float64) {
	if s.bottom < s.top {
		return s.bottom, s.top
	}
	return s.axisOf(s.marks())
}

// axisOf returns the ends of an axis that includes marks, within the bounds of the measure.
func (s *strip) axisOf(marks []float64) (bottom, top float64) {
	bottom, top = axisOf(marks, s.isShare)
	return max(bottom, s.least), min(top, s.greatest)
}

// endText formats one end of the axis.
func (s *strip) endText(x float64) string {
	if s.isShare {
		return printable.WholePercent(x)
	}
	return strings.ReplaceAll(printable.FourDigits(x), "-", "−")
}

// draw returns the drawing, with the values at the ends of the axis below it.
func (s *strip) draw(alt string) template.HTML {
	bottom, top := s.axisRange()
	ends := fmt.Sprintf(`<text x="0" y="40">%s</text><text x="100%%" y="40" text-anchor="end">%s</text>`,
		template.HTMLEscapeString(s.endText(bottom)), template.HTMLEscapeString(s.endText(top)))
	return s.drawing(44, template.HTML(ends), fmt.Sprintf(`role="img" aria-label="%s"`, template.HTMLEscapeString(alt)))
}

// drawing returns the drawing with the given height in pixels; after is added after the marks. Horizontal
// coordinates are percentages, so that text and marks keep their size at any width.
func (s *strip) drawing(height int, after template.HTML, attributes string) template.HTML {
	bottom, top := s.axisRange()
	if math.IsNaN(s.value) || !(top > bottom) || math.IsInf(top-bottom, 0) {
		return ""
	}
	at := func(x float64) string {
		return fmt.Sprintf("%.1f%%", 3+94*min(1, max(0, (x-bottom)/(top-bottom))))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" width="100%%" height="%d" %s><line class="ax" x1="0" x2="100%%" y1="13" y2="13"/>`,
		height, attributes)
	mark := func(class string, x float64, y1, y2 int) {
		if !math.IsNaN(x) {
			fmt.Fprintf(&b, `<line class="%s" x1="%[2]s" x2="%[2]s" y1="%[3]d" y2="%[4]d"/>`, class, at(x), y1, y2)
		}
	}
	if s.hasZero && bottom <= 0 && top >= 0 {
		mark("zero", 0, 0, 26)
	}
	mark("limit", s.limit, 0, 26)
	mark("const", s.constant, 4, 22)
	tone, own, other := strings.TrimSpace("iv "+s.tone), dotMark, diamondMark
	if s.isStandard {
		tone, own, other = "iv c0", diamondMark, dotMark
	}
	if !math.IsNaN(s.low) && !math.IsNaN(s.high) {
		fmt.Fprintf(&b, `<line class="%s" x1="%s" x2="%s" y1="13" y2="13"/>`, tone, at(s.low), at(s.high))
		for _, end := range []float64{s.low, s.high} {
			if end >= bottom && end <= top {
				mark(tone, end, 8, 18)
			}
		}
	}
	if !math.IsNaN(s.other) {
		b.WriteString(other(at(s.other), 13, ""))
	}
	b.WriteString(own(at(s.value), 13, s.tone) + string(after) + "</svg>")
	return template.HTML(b.String())
}

// diamondMark returns the mark of the standard model, centred at x and y.
func diamondMark(x string, y int, _ string) string {
	return fmt.Sprintf(`<svg x="%s" y="%d" overflow="visible"><path class="std" d="M-6 0 0-6 6 0 0 6z"/></svg>`, x, y)
}

// dotMark returns the mark of other models and of changes, centred at x and y.
func dotMark(x string, y int, tone string) string {
	return fmt.Sprintf(`<circle class="%s" cx="%s" cy="%d" r="5"/>`, strings.TrimSpace("dot "+tone), x, y)
}

// Drawing returns the drawing in cell i of a row, or "". Its numbers are in the text of the cell.
func (r tableRow) Drawing(i int) template.HTML {
	if i >= len(r.Strips) || r.Strips[i] == nil {
		return ""
	}
	return r.Strips[i].drawing(26, "", `aria-hidden="true"`)
}

// draw adds a strip to the last cell of the row.
func (r *tableRow) draw(s *strip) {
	for len(r.Strips) < len(r.Cells) {
		r.Strips = append(r.Strips, nil)
	}
	r.Strips[len(r.Cells)-1] = s
}

// shareAxes gives all strips in a column the same axis, which includes the marks of all rows. If there are other
// rows, the intervals of faint rows do not extend it.
func (t *table) shareAxes() {
	t.Ends = make([][]string, len(t.Head))
	isFaint := func(r tableRow) bool { return r.Class == "faint" }
	hasOthers := slices.ContainsFunc(t.Rows, func(r tableRow) bool { return !isFaint(r) })
	for i := range t.Head {
		var all []*strip
		var marks []float64
		for _, r := range t.Rows {
			if i < len(r.Strips) && r.Strips[i] != nil {
				s := r.Strips[i]
				all = append(all, s)
				if isFaint(r) && hasOthers {
					marks = append(marks, s.value)
				} else {
					marks = append(marks, s.marks()...)
				}
			}
		}
		if all == nil {
			continue
		}
		bottom, top := all[0].axisOf(marks)
		for _, s := range all {
			s.bottom, s.top = bottom, top
		}
		t.Ends[i] = []string{all[0].endText(bottom), all[0].endText(top)}
	}
}

// EndsOf returns the texts at the ends of the axis of column i, or nil if there are none.
func (t table) EndsOf(i int) []string {
	if i < len(t.Ends) {
		return t.Ends[i]
	}
	return nil
}

// HasDrawings reports whether some cell of the table has a drawing.
func (t table) HasDrawings() bool {
	for _, r := range t.Rows {
		if r.Strips != nil {
			return true
		}
	}
	return false
}

// Stacks reports whether each row is split into several lines on a phone, since drawings or many columns would not
// fit. The cells of a heat map stay side by side.
func (t table) Stacks() bool {
	for _, r := range t.Rows {
		if r.Shade != nil {
			return false
		}
	}
	return t.HasDrawings() || t.IsStacked || len(t.Head) > 3
}
