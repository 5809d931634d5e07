package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/internal/pooled"
	"github.com/drotrain/drotrain/train/tune"
)

// Whether groups have coefficients of their own: Config.GroupCoefficients.
const (
	groupCoefficientsNo     = "no"     // all groups share them
	groupCoefficientsPooled = "pooled" // partially pooled, with the ridge that predicts best out of fold
	groupCoefficientsAuto   = "auto"   // partially pooled where that predicts measurably better out of fold
)

// The ridges of group coefficients that are tried, and limits on the rows and memory of the choice.
var groupRidges = []float64{1, 5, 25, 125}

const (
	designFolds     = 5
	designError     = 2         // standard errors by which the average has to fall
	maxGroupColumns = 500       // products
	maxDesignCells  = 600_000   // rows × columns that the design is chosen on
	maxDesignGram   = 4_000_000 // entries of the Hessians of all cells
	minDesignRows   = 50
)

// A GroupDesign is the choice between coefficients that all groups share and partially pooled coefficients of
// groups. It is made for ERM, before the level of robustness is chosen.
type GroupDesign struct {
	Ridge   float64  `json:"ridge"`   // κ: group coefficients are penalised by κ·μ; 0: shared
	Groups  []string `json:"groups"`  // group columns that are features
	Columns int      `json:"columns"` // encoded columns of group coefficients
	Folds   int      `json:"folds"`
	Rows    int      `json:"rows"` // that the choice was made on
	LeftOut string   `json:"left_out,omitempty"`

	pooled.Choice
}

// chooseGroupCoefficients chooses whether groups get their own coefficients. It returns nil if no group column
// is a feature or the choice was not asked for.
func (c Config) chooseGroupCoefficients(ctx context.Context, f *data.Frame, rows *encodedRows) (*GroupDesign, error) {
	if c.design != nil {
		return c.design, nil
	}
	mustPool := c.GroupCoefficients == groupCoefficientsPooled
	if !mustPool && c.GroupCoefficients != groupCoefficientsAuto {
		return nil, nil
	}
	began, e := time.Now(), rows.fitted.Encoder
	columns := e.GroupColumns()
	if !mustPool && (len(columns) == 0 || e.Target.Task == encode.Multiclass) {
		return nil, nil
	}
	g := &GroupDesign{Folds: designFolds, Rows: rows.fitted.Train.N}
	for _, of := range columns {
		in := e.Inputs[of.Input]
		g.Groups = append(g.Groups, in.Name)
		g.Columns += len(in.Levels) * len(of.Columns)
	}
	if why := c.refusedSlopes(); why != "" {
		g.LeftOut = why
		return g, nil
	}
	c = c.fillFromData(e.Target.Task, g.Rows)
	p, err := c.newPooledProblem(ctx, f, rows, g, columns)
	var few *tune.FewRowsError
	switch {
	case errors.As(err, &few) && mustPool:
		return nil, fmt.Errorf("group coefficients cannot be pooled: %w", err)
	case errors.As(err, &few):
		g.LeftOut = err.Error()
		return g, nil
	case err != nil:
		return nil, err
	}
	g.Rows = len(p.Target)
	p.Observe = c.countObserver("group coefficients", began)
	choice, err := p.Compare(ctx, groupRidges)
	if err != nil {
		return nil, err
	}
	g.Choice = *choice
	if best := choice.Best(); mustPool || best.Change <= -designError*best.SE && best.Change < 0 {
		g.Ridge = best.Ridge
	}
	return g, nil
}

// whyNotTried returns why group coefficients are not tried, or "".
func (c *Config) whyNotTried(g *GroupDesign, task encode.Task) string {
	switch {
	case task == encode.Multiclass:
		return "they are for numbers and two classes, and the target has more classes"
	case len(g.Groups) == 0:
		return "no group column is a feature taken as a category beside another feature: name one under groups, and keep it a feature"
	case c.comm != nil:
		return "the rows are sharded over several ranks"
	case *c.Mu == 0:
		return "they need a penalty, and μ is 0"
	case g.Columns > maxGroupColumns:
		return fmt.Sprintf("they would take %d columns, and at most %d are tried", g.Columns, maxGroupColumns)
	}
	return ""
}

// groupCoefficientsBytes returns the additional memory of the choice of a design: copies of its rows and of
// those of a fold.
func groupCoefficientsBytes(rows, columns int64) int64 {
	const rowBytes = 100 // targets, weights, groups and what every candidate predicts
	n := min(rows, max(minDesignRows, maxDesignCells/max(1, columns)))
	bytes := n * (8*columns + rowBytes)
	if n < rows {
		bytes += n * 8 * columns
	}
	return bytes
}

// checkGroupColumnsMemory returns an error if memory does not suffice for the matrix with group coefficients.
func (c Config) checkGroupColumnsMemory(g *GroupDesign, rows *encodedRows) error {
	d := rows.fitted.Train
	n := int64(d.N)
	if h := rows.fitted.Holdout; h != nil {
		n += int64(h.N)
	}
	entries := d.D // of a row: those of one level of every group column
	for _, of := range rows.fitted.Encoder.GroupColumns() {
		entries += len(of.Columns)
	}
	all := d.D + g.Columns
	cell := c.cellBytes()
	matrix := n * int64(all) * cell
	if encode.Storage(c.Storage).Choose(float64(entries), all) == encode.Sparse {
		matrix = n * int64(entries) * 12
	}
	need := matrix + n*rowBytes
	if !c.Level.IsSet() {
		need += c.Choice.tuneOptions().MemoryBytes(d.N, all)
	}
	budget := memory.NewBudget(c.Memory)
	budget.Used = max(0, budget.Used-n*int64(d.D)*cell) // the matrix without them is freed first
	if budget.Fits(need) {
		return nil
	}
	return &MemoryError{
		fmt.Sprintf("%d rows × %d columns with group coefficients: the matrix takes %s, and %s of memory (%s) are free", n, all, formatBytes(matrix), formatBytes(budget.Free()), budget.Limit),
		"allow more memory, name a directory for rows on disk with Config.Cache, or share the coefficients with Config.GroupCoefficients no",
	}
}

// newPooledProblem returns the problem of choosing a design, on the first training rows, which are in random
// order. It returns a *tune.FewRowsError with the reason if there is no choice for them.
func (c *Config) newPooledProblem(ctx context.Context, f *data.Frame, rows *encodedRows, g *GroupDesign, columns []encode.GroupColumn) (*pooled.Problem, error) {
	e, d := rows.fitted.Encoder, rows.fitted.Train
	if why := c.whyNotTried(g, e.Target.Task); why != "" {
		return nil, &tune.FewRowsError{Msg: why}
	}
	loss, err := losses.Parse(c.Loss, c.HuberDelta)
	if err != nil {
		return nil, err
	}
	all := &tune.Table{Rows: Rows(d, rows.weight), X: d.X, Target: d.Target, Loss: loss}
	if n := min(d.N, max(minDesignRows, maxDesignCells/d.D)); n < d.N {
		first := make([]int, n)
		for i := range first {
			first[i] = i
		}
		all = all.Select(first)
	}
	if all.N < minDesignRows {
		return nil, &tune.FewRowsError{Msg: fmt.Sprintf("%d training rows are fewer than %d", all.N, minDesignRows)}
	}
	fold, err := all.Folds(designFolds, c.Seed)
	if err != nil {
		return nil, err
	}
	p := &pooled.Problem{
		X: all.X, Target: all.Target, Weight: all.Weights, Fold: make([]int32, all.N), Folds: designFolds, Loss: loss,
		Mu: *c.Mu * float64(d.N) / float64(all.N), Intercept: e.Intercept(),
	}
	for i, k := range fold {
		p.Fold[i] = int32(k)
	}
	if c.GroupHoldout != "" {
		if p.Unit, err = unitIndex(ctx, f, c.GroupHoldout, d.Rows[:all.N]); err != nil {
			return nil, err
		}
		drawUnitFolds(p.Fold, p.Unit, c.Seed)
	}
	for _, of := range columns {
		p.Groups = append(p.Groups, pooled.Group{Level: make([]int32, all.N), Levels: len(e.Inputs[of.Input].Levels), Columns: of.Columns})
	}
	row, cells := make([]float64, d.D), map[string]bool{}
	for i := range all.N {
		all.X.RowTo(row, i)
		key := ""
		for k, of := range columns {
			level := levelOfRow(&e.Inputs[of.Input], row)
			p.Groups[k].Level[i] = level
			key += fmt.Sprint(level, ",")
		}
		cells[key] = true
	}
	if n := len(cells) * d.D * d.D; n > maxDesignGram {
		return nil, &tune.FewRowsError{Msg: fmt.Sprintf("%d combinations of groups with %d columns are too many", len(cells), d.D)}
	}
	return p, nil
}

// levelOfRow returns the level of an encoded training row, or −1 for nulls and rare levels.
func levelOfRow(in *encode.Input, row []float64) int32 {
	none := int32(-1)
	for k := range in.Labels() {
		switch at := in.Column(k); {
		case at < 0 && k < len(in.Levels):
			none = int32(k) // unless another level has a one
		case at >= 0 && row[at] != 0 && k < len(in.Levels):
			return int32(k)
		case at >= 0 && row[at] != 0:
			return -1
		}
	}
	return none
}

// unitIndex numbers the values of a column; each null gets a number of its own.
func unitIndex(ctx context.Context, f *data.Frame, name string, rows []int) ([]int32, error) {
	c, err := f.Column(ctx, name)
	if err != nil {
		return nil, err
	}
	out, known, next := make([]int32, len(rows)), map[string]int32{}, int32(0)
	for i, r := range rows {
		unit, ok := known[c.Text(r)]
		if c.IsNull(r) || !ok {
			unit = next
			next++
		}
		if out[i] = unit; !c.IsNull(r) {
			known[c.Text(r)] = unit
		}
	}
	return out, nil
}

// drawUnitFolds assigns whole units to random folds.
func drawUnitFolds(fold, unit []int32, seed uint64) {
	const stream = 0x756e6974
	perm := rand.New(rand.NewPCG(seed, stream)).Perm(int(slices.Max(unit)) + 1)
	for i, u := range unit {
		fold[i] = int32(perm[u] % designFolds)
	}
}

// describe returns a sentence with the choice and its reason.
func (g *GroupDesign) describe() string {
	groups := "the groups of " + printable.QuoteList(g.Groups, "and")
	if g.LeftOut != "" {
		return fmt.Sprintf("%s share their coefficients; own coefficients were not tried: %s", groups, g.LeftOut)
	}
	best := g.Best()
	change := fmt.Sprintf("mean loss of ERM out of fold %s %%, standard error %.1f %%", formatSignedPercent(best.Change/g.Shared), 100*best.SE/g.Shared)
	if g.Ridge == 0 {
		return fmt.Sprintf("%s share their coefficients: own ones do not predict measurably better (%s)", groups, change)
	}
	return fmt.Sprintf("%s have own coefficients, partially pooled with κ = %v (%s)", groups, g.Ridge, change)
}

// formatSignedPercent formats a proportion as a percentage with its sign.
func formatSignedPercent(v float64) string {
	text := strings.Replace(fmt.Sprintf("%+.1f", 100*v), "-", "−", 1)
	if text == "+0.0" || text == "−0.0" {
		return "0.0"
	}
	return text
}

// encodeWithGroupCoefficients chooses a design and, if groups get their own coefficients, encodes the rows
// again with the products.
func (c Config) encodeWithGroupCoefficients(ctx context.Context, frame *data.Frame, rows *encodedRows, disk *diskStorage) (*encodedRows, *GroupDesign, error) {
	g, err := c.chooseGroupCoefficients(ctx, frame, rows)
	if err != nil || g == nil || g.Ridge == 0 {
		return rows, g, err
	}
	if disk == nil { // which reserves what it needs
		if err := c.checkGroupColumnsMemory(g, rows); err != nil {
			if c.Cache == "" && c.GroupCoefficients != groupCoefficientsPooled && c.design == nil {
				g.Ridge, g.LeftOut = 0, err.Error()
				return rows, g, nil
			}
			return nil, nil, err // the rows are kept on disk then
		}
	}
	c.products = rows.fitted.Encoder.GroupProducts(g.Ridge)
	disk.freeRows(rows.fitted, rows.weight)
	rows, err = c.encodeRows(ctx, frame, nil, disk)
	return rows, g, err
}
