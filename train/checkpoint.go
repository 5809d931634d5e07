package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train/tune"
)

// agreeWithCheckpoint records the options, files and version in the checkpoint. If the checkpoint holds different ones,
// it returns the joined *ChangedErrors.
func (m *Model) agreeWithCheckpoint(asked Config) error {
	j := m.Config.Checkpoint
	if j == nil {
		return nil
	}
	set := asked.optionsByName()
	all := []error{j.Agree("the version of drotrain", m.Version)}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, j.Agree("option "+name, string(set[name])))
	}
	all = append(all, j.Agree("the number of files", fmt.Sprint(len(m.Sources))))
	for i, s := range m.Sources {
		all = append(all, j.Agree(fmt.Sprintf("file %d (%s)", i+1, s.Path), s.SHA256))
	}
	// only whether there are several ranks, since the results do not depend on their number
	all = append(all, j.Agree("whether ranks share the rows", fmt.Sprint(m.Run.rows != nil)))
	return errors.Join(all...)
}

// solveOrResume works like dro.Solve with the given method for a named part of the training run. The checkpoint keeps
// the best point found so far; a resumed run starts from it and certifies it again.
func (m *Model) solveOrResume(
	ctx context.Context, part string, p *dro.Problem, method dro.Method, s dro.Options,
) (*dro.Result, error) {
	j := m.Config.Checkpoint
	if l2, ok := p.Primal.(dro.L2); ok { // a baseline may be solved again with a different μ
		part = fmt.Sprintf("%s, μ = %v", part, l2.Mu)
	}
	var x []float64
	if ok, err := j.Load(part, &x); err != nil {
		return nil, err
	} else if ok {
		s.X0 = x
	}
	if j != nil {
		s.Keep = func(x []float64) { j.Store(part, x) }
	}
	s.Method = method
	res, err := dro.Solve(ctx, p, &s)
	if res != nil {
		j.Store(part, res.X)
	}
	return res, err
}

// selectOrResume works like tune.Select on the training rows, but returns the choice that the checkpoint holds, if any.
func (m *Model) selectOrResume(ctx context.Context, x []float64, o tune.Options) (*tune.Selection, error) {
	const part = "choice"
	j := m.Config.Checkpoint
	var kept struct {
		Selection []byte // JSON in the form in which a model file holds it
		Start     []float64
	}
	if ok, err := j.Load(part, &kept); err != nil {
		return nil, err
	} else if ok {
		if d := m.Run.Train.D * m.coefficientsPerColumn(); len(kept.Start) != 0 && len(kept.Start) != d {
			return nil, fmt.Errorf(
				"the checkpoint is damaged: its cross-validation starts from %d coefficients, but the model has %d",
				len(kept.Start), d)
		}
		s := &tune.Selection{Start: kept.Start}
		if err := json.Unmarshal(kept.Selection, s); err != nil {
			return nil, fmt.Errorf("the checkpoint is damaged: the state of its cross-validation cannot be read: %w", err)
		}
		return s, nil
	}
	t := m.tuneTable(m.Run.Train)
	t.Memory, t.Validation = j.forPart(part), m.validationTable()
	s, err := m.selectOnRoot(ctx, t, x, o)
	if err == nil && j != nil {
		if b, err := json.Marshal(s); err == nil {
			kept.Selection, kept.Start = b, s.Start
			j.Store(part, &kept)
			j.forget(part + partSeparator) // the choice replaces the models that it compared
		}
	}
	return s, err
}
