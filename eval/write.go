package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// MostGroups is the maximum number of groups of a grouping that a page shows and that a file describes in full,
// unless Evaluation.AllGroups is set.
const MostGroups = 100

// OtherGroups summarises the groups that follow the first [MostGroups].
type OtherGroups struct {
	Label []string `json:"group"`
	N     []int    `json:"n"`
	Risk  [][]Num  `json:"risk"` // by model, then group
}

// WriteJSON writes the evaluation as JSON (metrics.json). Unless e.AllGroups is set, the groups of a grouping other
// than the worst [MostGroups] are summarised as OtherGroups.
func (e *Evaluation) WriteJSON(w io.Writer) error { return writeIndented(w, e.shorten()) }

// shorten returns a copy in which groupings with many groups have OtherGroups.
func (e *Evaluation) shorten() *Evaluation {
	long := func(g Grouping) bool { return len(g.Groups) > MostGroups && g.Others == nil }
	if e.AllGroups || !slices.ContainsFunc(e.Groupings, long) {
		return e
	}
	c := *e
	c.Groupings = slices.Clone(e.Groupings)
	for i := range c.Groupings {
		if g := &c.Groupings[i]; long(*g) {
			kept := e.labelsToKeep(g)
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

// labelsToKeep returns the labels of the groups to describe in full: the worst ones, and those mentioned elsewhere.
func (e *Evaluation) labelsToKeep(g *Grouping) map[string]bool {
	kept := make(map[string]bool)
	for _, h := range g.WorstFirst(e.Shown())[:MostGroups] {
		kept[h.Label] = true
	}
	for _, m := range e.Models {
		if m.WorstGroup != nil && m.WorstGroup.Grouping == g.Name {
			kept[m.WorstGroup.Label] = true
		}
	}
	return kept
}

// shorten moves the groups whose labels are not in kept to Others.
func (g *Grouping) shorten(kept map[string]bool) {
	var o OtherGroups
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
			o.Risk[k] = append(o.Risk[k], m.Values.Risk())
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

// writeIndented writes indented JSON without escaping "<".
func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	return nil
}
