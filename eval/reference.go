package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Reference holds the results of an earlier evaluation, to which gates such as since.accuracy.high < 0 refer.
type Reference struct {
	Rows  int   `json:"rows"`
	Split Split `json:"split,omitempty"` // empty in files of earlier versions
	// name of the file or table; if empty, the reference is stored in the model
	Name string `json:"-"`
	// empty in files of earlier versions, as are the next three fields
	Task     Task   `json:"task,omitempty"`
	Loss     string `json:"loss,omitempty"`
	Target   string `json:"target,omitempty"`
	Positive string `json:"positive,omitempty"`

	models    []referenceModel
	groupings []referenceGrouping // groupings of the evaluation; empty in files of earlier versions
}

// referenceFields has the fields of a Reference without its methods.
type referenceFields Reference

// A referenceFile is the JSON form of a Reference.
type referenceFile struct {
	referenceFields
	Models    []referenceModel    `json:"models"`
	Groupings []referenceGrouping `json:"groupings,omitempty"`
}

// toReference returns the reference of a file.
func (f *referenceFile) toReference() Reference {
	f.models, f.groupings = f.Models, f.Groupings
	return Reference(f.referenceFields)
}

// MarshalJSON writes what [ReadReference] reads.
func (r Reference) MarshalJSON() ([]byte, error) {
	return json.Marshal(referenceFile{referenceFields(r), r.models, r.groupings})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Reference) UnmarshalJSON(b []byte) error {
	var f referenceFile
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*r = f.toReference()
	return nil
}

// A referenceGrouping maps the labels of the groups of a grouping to their names in paths.
type referenceGrouping struct {
	Name   string            `json:"name"`
	Groups map[string]string `json:"groups"`
}

// A referenceModel holds the estimates of one model, indexed by path: overall.KEY, worst_group.KEY and, for groups
// of all groupings, group[NAME].KEY and group[NAME].n.
type referenceModel struct {
	Name      string              `json:"name"`
	Estimates map[string]estimate `json:"estimates"`
}

// NewReference returns the results of e for later comparisons, rounded to six digits. It includes the worst
// [MostGroups] groups with enough rows. It panics if [ReadEvaluation] would reject the evaluation.
func NewReference(e *Evaluation) *Reference {
	r := &Reference{Rows: e.N, Split: e.Split, Task: e.Task, Loss: e.Loss, Target: e.Target, Positive: e.Positive}
	for _, g := range e.Groupings {
		r.groupings = append(r.groupings, referenceGrouping{g.Name, make(map[string]string)})
	}
	for _, h := range e.referenceGroups() {
		i := slices.IndexFunc(r.groupings, func(g referenceGrouping) bool { return g.Name == h.grouping })
		r.groupings[i].Groups[h.Label] = h.name
	}
	for k, m := range e.Models {
		if k > e.Focus() && m.Role != OtherModel { // further models that the user does not choose from
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
		r.models = append(r.models, of)
	}
	return r
}

// referenceGroups returns, for every grouping, the worst [MostGroups] groups that have enough rows.
func (e *Evaluation) referenceGroups() (out []namedGroup) {
	kept := make(map[*Group]bool)
	for j := range e.Groupings {
		for _, h := range e.Groupings[j].FirstGroups(e.Shown(), MostGroups) {
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

// nameOf returns the name in r of the group that corresponds to h, a group of a different evaluation: the group
// with the same label in the same grouping. If r is of an earlier version and lacks groupings, nameOf returns the
// name of h. It returns "" if r has no such group.
func (r *Reference) nameOf(h *namedGroup) string {
	if r.groupings == nil {
		return h.name
	}
	for _, g := range r.groupings {
		if g.Name == h.grouping {
			return g.Groups[h.Label]
		}
	}
	return ""
}

// groupNames returns the names of the groups of the named model or, if there is none, of the model in focus.
func (r *Reference) groupNames(model string) (out []string) {
	for path := range r.findModel(model).Estimates {
		if name, ok := strings.CutPrefix(path, "group["); ok {
			if name, ok = strings.CutSuffix(name, "].risk"); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// findModel returns the named model or, if there is none, the model in focus.
func (r *Reference) findModel(name string) referenceModel {
	for _, m := range r.models {
		if m.Name == name {
			return m
		}
	}
	return r.models[focus(len(r.models))]
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
			return fmt.Errorf("the earlier evaluation has the %s %q, but this evaluation has %q", c.what, c.was, c.is)
		}
	}
	return nil
}

// estimateAt returns the estimate at a path of the named model or, if there is none, of the model in focus.
func (r *Reference) estimateAt(model, path string) (estimate, bool) {
	q, ok := r.findModel(model).Estimates[path]
	return q, ok
}

// ReadReference reads a Reference in JSON, as json.Marshal writes it. To obtain a Reference from a report or an
// evaluation, call [ReadReport] or [ReadEvaluation], followed by [NewReference].
func ReadReference(r io.Reader) (*Reference, error) {
	var file referenceFile
	if err := decode(r, &file); err != nil {
		return nil, fmt.Errorf("eval: reference: %w", err)
	}
	out := file.toReference()
	if len(out.models) == 0 {
		return nil, errors.New("eval: the reference holds no model; NewReference makes a reference from a report or an " +
			"evaluation")
	}
	return &out, nil
}
