package eval

import (
	"fmt"
	"slices"
)

// validate returns an error if an evaluation that was read from a file lacks something that its presentation
// requires.
func (e *Evaluation) validate() error {
	m := len(e.Models)
	switch {
	case e.Error != "":
		return fmt.Errorf("eval: the models could not be evaluated on these rows: %s", e.Error)
	case e.Task != Binary && e.Task != Regression && e.Task != Multiclass:
		return fmt.Errorf("eval: the evaluation has task %q", e.Task)
	case m == 0:
		return fmt.Errorf("eval: the evaluation has no model")
	case e.Task == Binary && e.Threshold == nil:
		return fmt.Errorf("eval: the evaluation of a binary task has no threshold")
	case len(e.Compared) != 0 && len(e.Compared) != m-1:
		return fmt.Errorf("eval: the evaluation has %d comparisons with the baseline, but %d models: there must be one "+
			"comparison fewer than models", len(e.Compared), m)
	}
	for k := range e.Models {
		if e.Models[k].Name == "" {
			return fmt.Errorf("eval: model %d of the evaluation has no name", k)
		}
	}
	for _, g := range e.Groupings {
		if len(g.Summary) != m {
			return fmt.Errorf("eval: grouping %q has %d summaries for %d models", g.Name, len(g.Summary), m)
		}
		if o := g.Others; o != nil {
			if len(o.N) != len(o.Label) || len(o.Risk) != m ||
				slices.ContainsFunc(o.Risk, func(r []Num) bool { return len(r) != len(o.Label) }) {
				return fmt.Errorf("eval: grouping %q: the lists in other_groups (group, n and risk) have different lengths", g.Name)
			}
		}
		for _, h := range g.Groups {
			if len(h.Models) != m {
				return fmt.Errorf("eval: group %q of grouping %q has entries for %d of %d models", h.Label, g.Name, len(h.Models),
					m)
			}
		}
	}
	head := e.Headline()
	for k := range e.Models {
		w := e.Models[k].WorstGroup
		if w == nil {
			if e.Models[0].WorstGroup != nil {
				return fmt.Errorf("eval: model %q has no worst group, but model %q has one", e.Models[k].Name, e.Models[0].Name)
			}
			continue
		}
		if head.find(w.Label) < 0 {
			return fmt.Errorf("eval: the worst group %q is not in the last grouping", w.Label)
		}
	}
	for _, c := range e.Compared {
		if c.Groups != nil && (head == nil || len(c.Groups) != len(head.Groups)) {
			return fmt.Errorf("eval: the %d group differences of model %q do not match the groups", len(c.Groups), c.Model)
		}
		if c.Model == "" {
			return fmt.Errorf("eval: a comparison does not name its model")
		}
	}
	return nil
}
