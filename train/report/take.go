package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
)

// scoredRows holds the predictions, targets and groups of rows. Features are read one block after another and are
// not kept.
type scoredRows struct {
	Rows   []int     // row numbers in the table
	Target []float64 // encoded
	Groups []encode.Grouping

	arena  *memory.Arena // arena for vectors with one entry for each row; nil means memory
	models []eval.Model
	along  columnVariation // variation of the losses of the second model, or of the only one
}

// evaluateTable evaluates the models on the rows of f that pass the filter.
func (x *Measured) evaluateTable(ctx context.Context, f *data.Frame) error {
	rows, err := filterRows(ctx, f, x.options.Filter)
	if err != nil {
		return err
	}
	x.table = f.Name()
	return x.evaluateRows(ctx, f, rows, eval.Table)
}

// evaluateRows evaluates the models on rows of f, which must ascend; nil means all rows. It reads features one
// block after another.
func (x *Measured) evaluateRows(ctx context.Context, f *data.Frame, rows []int, split eval.Split) error {
	e, o := x.model.Encoder, x.options
	encoder, err := e.WithGroups(ctx, f, o.Groups)
	if err != nil {
		return err
	}
	if _, err := f.Lookup(e.Target.Name); err != nil {
		if absent := new(data.Error); !f.Has(e.Target.Name) && errors.As(err, &absent) {
			absent.Msg += ", which is the target of the model: an evaluation needs it, a prediction does not"
		}
		return err
	}
	t, n := &scoredRows{}, f.Rows
	if rows != nil {
		n = len(rows)
	}
	if t.arena, err = o.arenaFor(f, n, max(len(x.compared), len(modelVersions(x.model)))); err != nil {
		return err
	}
	x.arena = t.arena
	x.Encoding, err = e.EncodeBlocks(ctx, f, rows, x.options.blockRows, true, func(b encode.Block) error {
		return x.addBlock(ctx, t, b.Frame, b.Rows, b.First, n)
	})
	if err != nil {
		return err
	}
	if t.Groups, x.Encoding.MissingGroups, err = encoder.Groupings(ctx, f, t.Rows, t.arena); err != nil {
		return err
	}
	x.Encoding.NewGroups = encoder.UnseenGroups(t.Groups)
	found, err := x.model.ExamineScored(ctx, f, true)
	if err != nil {
		return err
	}
	if err := x.evaluate(ctx, f, t, split); err != nil {
		return err
	}
	x.Evaluation.Findings = slices.Concat(x.Evaluation.Findings, found)
	x.Evaluation.Conclude()
	return t.arena.Err()
}

// scoreRows scores encoded rows of f.
func (x *Measured) scoreRows(ctx context.Context, f *data.Frame, d *encode.Dataset) (*scoredRows, error) {
	if d.Target == nil {
		return nil, errors.New("a model cannot be evaluated on rows without a target")
	}
	t := &scoredRows{Groups: d.Groups, arena: arenaOf(d)}
	return t, x.addBlock(ctx, t, f, d, 0, d.N)
}

// addBlock scores the rows of a block that begins at row first and adds them to t; n is the maximum total number of
// rows of t.
func (x *Measured) addBlock(ctx context.Context, t *scoredRows, f *data.Frame, d *encode.Dataset, first, n int) error {
	models, err := x.readPredictions(ctx, f, d)
	if err != nil {
		return err
	}
	rows := d.Rows
	if first > 0 {
		rows = slices.Clone(rows)
		for i := range rows {
			rows[i] += first
		}
	}
	appendVector(t.arena, &t.Rows, rows, n)
	appendVector(t.arena, &t.Target, d.Target, n)
	if t.models == nil {
		t.models = make([]eval.Model, len(models))
	}
	for k, m := range models {
		t.models[k].Name, t.models[k].Role = m.Name, m.Role
		appendVector(t.arena, &t.models[k].Score, m.Score, n)
		appendVector(t.arena, &t.models[k].Loss, m.Loss, n)
		if m.Class != nil {
			appendVector(t.arena, &t.models[k].Class, m.Class, n)
			appendVector(t.arena, &t.models[k].Place, m.Place, n)
		}
	}
	if !x.options.Quick {
		t.along.add(x.model.Encoder, d, models[min(1, len(models)-1)].Loss, 0, d.N)
	}
	return nil
}

// sort sorts the rows into the order of their table.
func (t *scoredRows) sort() {
	order := memory.Make[int32](t.arena, len(t.Rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(t.Rows[a], t.Rows[b]) })
	t.Rows, t.Target = permute(t.arena, t.Rows, order), permute(t.arena, t.Target, order)
	t.Groups = slices.Clone(t.Groups)
	for k := range t.Groups {
		t.Groups[k].Index = permute(t.arena, t.Groups[k].Index, order)
	}
	for k, m := range t.models {
		t.models[k].Score, t.models[k].Loss = permute(t.arena, m.Score, order), permute(t.arena, m.Loss, order)
		if m.Class != nil {
			t.models[k].Class, t.models[k].Place = permute(t.arena, m.Class, order), permute(t.arena, m.Place, order)
		}
	}
	memory.Release(t.arena, order)
}

// permute returns the elements of v in the given order.
func permute[T memory.Element](arena *memory.Arena, v []T, order []int32) []T {
	out := memory.Make[T](arena, len(order))
	for i, j := range order {
		out[i] = v[j]
	}
	return out
}

// appendVector appends to a slice that will have at most n entries. If all entries are appended at once, they are
// not copied.
func appendVector[T memory.Element](arena *memory.Arena, to *[]T, more []T, n int) {
	if *to == nil && len(more) == n {
		*to = more
		return
	}
	if *to == nil {
		*to = memory.Make[T](arena, n)[:0]
	}
	*to = append(*to, more...)
}

// readPredictions returns the models with their predictions for encoded rows of f. Compared models encode the rows
// themselves; predictions out of fold are those of x.folds.
func (x *Measured) readPredictions(ctx context.Context, f *data.Frame, rows *encode.Dataset) ([]eval.Model, error) {
	var out []eval.Model
	add := func(name string, role eval.Role, m *train.Model, d *encode.Dataset, coefficients []float64) error {
		p, err := m.PredictDataset(d, coefficients)
		if err == nil {
			memory.Release(arenaOf(d), p.Margin, p.Probability)
			out = append(out, eval.Model{Name: name, Role: role, Score: p.Score, Loss: p.Loss, Class: p.Class, Place: p.Rank})
		}
		return err
	}
	for _, c := range x.compared {
		d, _, err := c.Model.Encoder.Encode(ctx, f, rows.Rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if !slices.Equal(d.Rows, rows.Rows) {
			return nil, fmt.Errorf("%s leaves out rows that %s keeps, since the two models treat missing values "+
				"differently", c.Name,
				x.compared[0].Name)
		}
		if err := add(c.Name, eval.OtherModel, c.Model, d, c.Model.ScoringCoefficients()); err != nil {
			return nil, err
		}
	}
	if x.compared != nil {
		return out, nil
	}
	for _, v := range versionsWithRescaled(x.model, x.folds) {
		if p := v.fold; p != nil {
			out = append(out, eval.Model{Name: nameOf[v.role], Role: v.role, Score: p.Score, Loss: p.Loss})
			continue
		}
		if err := add(nameOf[v.role], v.role, x.model, rows, v.x); err != nil {
			return nil, err
		}
	}
	return out, nil
}
