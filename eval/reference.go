package eval

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Reference holds the numbers of an earlier evaluation for gates such as since.accuracy.high < 0.
type Reference struct {
	Rows     int              `json:"rows"`
	Split    Split            `json:"split,omitempty"` // empty in files of earlier versions
	Name     string           `json:"-"`               // of the file or table; empty: the model's own
	Task     Task             `json:"task,omitempty"`  // empty in files of earlier versions, as are the next three
	Loss     string           `json:"loss,omitempty"`
	Target   string           `json:"target,omitempty"`
	Positive string           `json:"positive,omitempty"`
	Models   []referenceModel `json:"models"`

	Groupings []referenceGrouping `json:"groupings,omitempty"` // as in the evaluation; none in files of earlier versions
}

// A referenceGrouping holds the names of the groups of a grouping in paths, by their labels.
type referenceGrouping struct {
	Name   string            `json:"name"`
	Groups map[string]string `json:"groups"`
}

// A referenceModel holds the estimates of one model by path: overall.KEY, worst_group.KEY and
// group[NAME].KEY of groups of every grouping, with group[NAME].n.
type referenceModel struct {
	Name      string              `json:"name"`
	Estimates map[string]estimate `json:"estimates"`
}

// NewReference returns the numbers of e for later comparisons, rounded to six digits. It includes the worst
// [MostGroups] groups with enough rows. It panics for an evaluation that [ReadEvaluation] refuses.
func NewReference(e *Evaluation) *Reference {
	r := &Reference{Rows: e.N, Split: e.Split, Task: e.Task, Loss: e.Loss, Target: e.Target, Positive: e.Positive}
	for _, g := range e.Groupings {
		r.Groupings = append(r.Groupings, referenceGrouping{g.Name, make(map[string]string)})
	}
	for _, h := range e.referenceGroups() {
		i := slices.IndexFunc(r.Groupings, func(g referenceGrouping) bool { return g.Name == h.grouping })
		r.Groupings[i].Groups[h.Label] = h.name
	}
	for k, m := range e.Models {
		if k > e.Focus() && m.Role != OtherModel { // checks beside the two that a user chooses from
			continue
		}
		of := referenceModel{m.Name, make(map[string]estimate)}
		heads := []string{"overall", "worst_group"}
		for _, h := range e.referenceGroups() {
			heads = append(heads, "group["+h.name+"]")
			of.Estimates["group["+h.name+"].n"] = newEstimate(Num(h.N), nil)
		}
		for _, key := range e.measureKeys() {
			for _, head := range heads {
				p, err := e.parsePath(head + "." + key)
				if p.model = k; err != nil {
					continue
				}
				if q, err := e.estimateOf(p); err == nil && q[0].Defined() {
					of.Estimates[head+"."+key] = roundEstimate(q)
				}
			}
		}
		r.Models = append(r.Models, of)
	}
	return r
}

// referenceGroups returns the worst [MostGroups] groups of every grouping that have enough rows.
func (e *Evaluation) referenceGroups() (out []namedGroup) {
	kept := make(map[*Group]bool)
	for j := range e.Groupings {
		for _, h := range e.Groupings[j].FirstGroups(MostGroups) {
			kept[h] = h.Sufficient
		}
	}
	for _, h := range e.namedGroups() {
		if kept[h.Group] {
			out = append(out, h)
		}
	}
	return out
}

// nameOf returns the name in r of the group that corresponds to h, a group of another evaluation: the group with the
// same label in the same grouping. If r is of an earlier version and lacks groupings, nameOf returns the name of h. It
// returns "" if r has no such group.
func (r *Reference) nameOf(h *namedGroup) string {
	if r.Groupings == nil {
		return h.name
	}
	for _, g := range r.Groupings {
		if g.Name == h.grouping {
			return g.Groups[h.Label]
		}
	}
	return ""
}

// groupNames returns the names of the groups of the named model or, if there is none, of the model in focus.
func (r *Reference) groupNames(model string) (out []string) {
	for path := range r.model(model).Estimates {
		if name, ok := strings.CutPrefix(path, "group["); ok {
			if name, ok = strings.CutSuffix(name, "].risk"); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// model returns the named model or, if there is none, the model in focus.
func (r *Reference) model(name string) referenceModel {
	for _, m := range r.Models {
		if m.Name == name {
			return m
		}
	}
	return r.Models[focus(len(r.Models))]
}

// roundEstimate rounds an estimate to six digits.
func roundEstimate(q estimate) estimate {
	for i, v := range q {
		if v.Defined() {
			x, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', 6, 64), 64)
			q[i] = Num(x)
		}
	}
	return q
}

// checkComparable returns an error if r and e have different targets, tasks or losses.
func (r *Reference) checkComparable(e *Evaluation) error {
	for _, c := range []struct{ what, was, is string }{
		{"target", r.Target, e.Target}, {"task", string(r.Task), string(e.Task)},
		{"positive class", r.Positive, e.Positive}, {"loss", r.Loss, e.Loss},
	} {
		if c.was != "" && c.was != c.is {
			return fmt.Errorf("the %s of the earlier numbers is %q, but here it is %q", c.what, c.was, c.is)
		}
	}
	return nil
}

// estimateAt returns the estimate at a path of the named model or, if there is none, of the model in focus.
func (r *Reference) estimateAt(model, path string) (estimate, bool) {
	q, ok := r.model(model).Estimates[path]
	return q, ok
}

// ReadReference reads a Reference from JSON, as json.Marshal writes it. Of a report or an evaluation, which [ReadReport]
// and [ReadEvaluation] read, [NewReference] returns it.
func ReadReference(r io.Reader) (*Reference, error) {
	var out Reference
	if err := decode(r, &out); err != nil {
		return nil, fmt.Errorf("eval: reference: %w", err)
	}
	if len(out.Models) == 0 {
		return nil, errors.New("eval: the reference holds no model: of a report or an evaluation, NewReference makes a reference")
	}
	return &out, nil
}
