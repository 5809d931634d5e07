package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// MostGroups is how many groups of a grouping a page shows, and a file has all numbers
// of, unless Evaluation.AllGroups asks for those of every group.
const MostGroups = 100

// OtherGroups are the groups beyond the first [MostGroups], least risky or too small:
// what a file keeps of them, along their labels.
type OtherGroups struct {
	Label []string `json:"group"`
	N     []int    `json:"n"`
	Risk  [][]Num  `json:"risk"` // by model, then group
}

// WriteJSON writes the evaluation (metrics.json) as JSON: of the worst [MostGroups] groups
// of a grouping everything, of the others OtherGroups, unless e.AllGroups.
func (e *Evaluation) WriteJSON(w io.Writer) error { return writeIndented(w, e.shortened()) }

// shortened returns a copy in which groupings of many groups have OtherGroups.
func (e *Evaluation) shortened() *Evaluation {
	long := func(g Grouping) bool { return len(g.Groups) > MostGroups }
	if e.AllGroups || !slices.ContainsFunc(e.Groupings, long) {
		return e
	}
	c := *e
	c.Groupings = slices.Clone(e.Groupings)
	for i := range c.Groupings {
		if g := &c.Groupings[i]; long(*g) {
			kept := e.keptLabels(g)
			if g == c.Headline() {
				c.Compared = slices.Clone(e.Compared)
				for k := range c.Compared {
					q := &c.Compared[k]
					q.Groups = slices.DeleteFunc(slices.Clone(q.Groups), func(d GroupDifference) bool { return !kept[d.Label] })
				}
			}
			g.shorten(kept)
		}
	}
	return &c
}

// keptLabels returns the labels of the groups of which everything is kept: the worst, and those
// that are named elsewhere.
func (e *Evaluation) keptLabels(g *Grouping) map[string]bool {
	kept := make(map[string]bool)
	for _, h := range g.WorstFirst()[:MostGroups] {
		kept[h.Label] = true
	}
	for _, m := range e.Models {
		if m.WorstGroup != nil && m.WorstGroup.Grouping == g.Name {
			kept[m.WorstGroup.Label] = true
		}
	}
	return kept
}

// shorten moves the groups that are not kept to Others.
func (g *Grouping) shorten(kept map[string]bool) {
	o := OtherGroups{}
	if was := g.Others; was != nil {
		o = OtherGroups{slices.Clone(was.Label), slices.Clone(was.N), make([][]Num, len(was.Risk))}
		for k := range o.Risk {
			o.Risk[k] = slices.Clone(was.Risk[k])
		}
	}
	var groups []Group
	for _, h := range g.Groups {
		if kept[h.Label] {
			groups = append(groups, h)
			continue
		}
		o.Label, o.N = append(o.Label, h.Label), append(o.N, h.N)
		for k, m := range h.Models {
			if k == len(o.Risk) {
				o.Risk = append(o.Risk, nil)
			}
			o.Risk[k] = append(o.Risk[k], m.Values.Of["risk"])
		}
	}
	g.Groups, g.Others = groups, &o
}

// Count returns the number of groups with rows.
func (g *Grouping) Count() int {
	if g.Others == nil {
		return len(g.Groups)
	}
	return len(g.Groups) + len(g.Others.Label)
}

// writeIndented writes JSON with an object or array on a line of its own unless it holds
// another.
func writeIndented(w io.Writer, v any) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	_, err := w.Write(indented(raw.Bytes()))
	return err
}

// indented lays out the compact JSON of an encoder.
func indented(raw []byte) []byte {
	out := make([]byte, 0, 2*len(raw))
	depth, leaf, text := 0, false, false
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ', ' ')
		}
	}
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		out = append(out, c)
		switch {
		case text && c == '\\':
			i++
			out = append(out, raw[i])
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if leaf = isLeaf(raw[i+1:]); !leaf {
				depth++
				line()
			}
		case c == '}' || c == ']':
			if !leaf {
				out = out[:len(out)-1]
				depth--
				line()
				out = append(out, c)
			}
			leaf = false
		case c == ',' && leaf, c == ':':
			out = append(out, ' ')
		case c == ',':
			line()
		}
	}
	return out
}

// isLeaf reports whether what has been opened closes before another opens.
func isLeaf(raw []byte) bool {
	text := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			return false
		case c == '}' || c == ']':
			return true
		}
	}
	return true
}
