package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/internal/pooled"
	"github.com/drotrain/drotrain/train/tune"
)

// Values of Config.GroupCoefficients, which states whether groups have their own coefficients.
const (
	groupCoefficientsNo     = "no"     // all groups share their coefficients
	groupCoefficientsPooled = "pooled" // partially pooled, with the ridge that predicts best out of fold
	groupCoefficientsAuto   = "auto"   // partially pooled if that predicts measurably better out of fold
)

// groupRidges lists the ridges κ of group coefficients that are tried.
var groupRidges = []float64{1, 5, 25, 125}

// Limits on the rows and memory used for the choice of a design.
const (
	designFolds     = 5
	maxGroupColumns = 500       // maximum number of columns for group coefficients
	maxDesignCells  = 600_000   // maximum of rows × columns on which the design is chosen
	maxDesignGram   = 4_000_000 // maximum number of entries in the Hessians of all combinations of groups
	minDesignRows   = 50
)

// A GroupDesign is the choice between coefficients that all groups share and partially pooled coefficients of
// groups: first of single group columns, then of crossings of two of them, and so on. The choice is made for ERM,
// before the robustness is chosen. The methods panic for a step that was not tried.
type GroupDesign struct {
	// Ridges holds κ for single group columns, for crossings of two, and so on; their coefficients are
	// penalised by κ·μ. If it is empty, all groups share their coefficients.
	Ridges []float64 `json:"ridges,omitempty"`

	Groups []string `json:"groups"` // group columns that are features
	// Columns is the number of encoded columns of the chosen group coefficients or, if none were chosen, of
	// those of single group columns.
	Columns int    `json:"columns"`
	Folds   int    `json:"folds"`
	Rows    int    `json:"rows"`               // number of rows on which the choice was made
	LeftOut string `json:"left_out,omitempty"` // reason why no group coefficients were tried

	CrossedLeftOut string `json:"crossed_left_out,omitempty"` // reason why crossed groups were not tried

	tune.GroupChoice
}

// IsShared reports whether all groups share their coefficients.
func (g *GroupDesign) IsShared() bool { return g == nil || len(g.Ridges) == 0 }

// chooseGroupCoefficients chooses whether groups get their own coefficients. It returns nil if no group column is a
// feature or the choice was not requested.
func (c Config) chooseGroupCoefficients(ctx context.Context, f *data.Frame, rows *encodedRows) (*GroupDesign, error) {
	if c.design != nil {
		return c.design, nil
	}
	mustPool := c.GroupCoefficients == groupCoefficientsPooled
	if !mustPool && c.GroupCoefficients != groupCoefficientsAuto {
		return nil, nil
	}
	began, e := time.Now(), rows.fitted.Encoder
	terms := e.GroupTerms(1)
	if !mustPool && (len(terms) == 0 || e.Target.Task == encode.Multiclass) {
		return nil, nil
	}
	g := &GroupDesign{Folds: designFolds, Rows: rows.fitted.Train.N}
	for _, t := range terms {
		in := e.Inputs[t.Inputs[0]]
		g.Groups = append(g.Groups, in.Name)
		g.Columns += len(in.Levels) * len(t.Columns)
	}
	if why := c.slopeRefusal(); why != "" {
		g.LeftOut = why
		return g, nil
	}
	c = c.fillFromData(e.Target.Task, rows.total)
	p, steps, err := c.newPooledProblem(ctx, f, rows, g)
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
	choice, err := p.Compare(ctx, groupRidges, mustPool)
	if err != nil {
		return nil, err
	}
	g.GroupChoice, g.Ridges = *choice, choice.Ridges()
	if len(g.Ridges) > 1 {
		g.Columns = countColumns(slices.Concat(steps[:len(g.Ridges)]...))
	}
	return g, nil
}

// groupSteps returns the terms of group coefficients. Step k contains the crossings of k + 1 group columns, each with
// the cells that occur in the first rows. These rows have at most maxDesignCells encoded values, but are at least
// minDesignRows. The terms of step 0 have a cell for every level, including levels that no row has.
func groupSteps(rows *encodedRows) (steps [][]cellTerm) {
	e, d := rows.fitted.Encoder, rows.fitted.Train
	for order := 1; ; order++ {
		terms := e.GroupTerms(order)
		if len(terms) == 0 {
			break
		}
		var step []cellTerm
		for _, t := range terms {
			step = append(step, cellTerm{GroupTerm: t})
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil
	}
	for k := range steps[0] {
		t := &steps[0][k]
		for l := range e.Inputs[t.Inputs[0]].Levels {
			t.cells = append(t.cells, []int32{int32(l)})
		}
	}
	row, level := make([]float64, d.D), make([]int32, len(e.Inputs))
	for i := range min(d.N, max(minDesignRows, maxDesignCells/d.D)) {
		d.X.RowTo(row, i)
		for _, t := range steps[0] {
			level[t.Inputs[0]] = levelOfRow(&e.Inputs[t.Inputs[0]], row)
		}
		for o := range steps {
			for k := range steps[o] {
				steps[o][k].add(level)
			}
		}
	}
	return steps
}

// A cellTerm is a group term with its cells and, for each of the first rows, the cell of the row.
type cellTerm struct {
	encode.GroupTerm
	cells [][]int32 // levels of the inputs of each cell
	cell  []int32   // cell of each row; −1 for none
	index map[string]int32
}

// add appends the cell of a row whose levels are given for each input. For a crossing, a combination that no
// preceding row had becomes a new cell.
func (t *cellTerm) add(level []int32) {
	if len(t.Inputs) == 1 {
		t.cell = append(t.cell, level[t.Inputs[0]])
		return
	}
	of := make([]int32, len(t.Inputs))
	for k, i := range t.Inputs {
		if of[k] = level[i]; of[k] < 0 {
			t.cell = append(t.cell, -1)
			return
		}
	}
	key := fmt.Sprint(of)
	at, known := t.index[key]
	if !known {
		if t.index == nil {
			t.index = map[string]int32{}
		}
		at = int32(len(t.cells))
		t.index[key], t.cells = at, append(t.cells, of)
	}
	t.cell = append(t.cell, at)
}

// countCombinations returns the number of combinations of the groups of single columns that occur in the rows.
func countCombinations(single []cellTerm) int {
	seen, of := map[string]bool{}, make([]int32, len(single))
	for i := range single[0].cell {
		for k := range single {
			of[k] = single[k].cell[i]
		}
		seen[fmt.Sprint(of)] = true
	}
	return len(seen)
}

// countColumns returns the number of encoded columns that the coefficients of terms require.
func countColumns(terms []cellTerm) (n int) {
	for _, t := range terms {
		n += len(t.cells) * len(t.Columns)
	}
	return n
}

// reasonNotTried returns the reason why group coefficients are not tried, or "" if they are tried.
func (c *Config) reasonNotTried(g *GroupDesign, task encode.Task) string {
	switch {
	case task == encode.Multiclass:
		return "they need a numeric target or a target with two classes, but this target has more classes"
	case len(g.Groups) == 0:
		return "they need a group column that is a categorical feature, and another feature"
	case c.comm != nil:
		return "the rows are sharded over several ranks"
	case *c.Mu == 0:
		return "they need a ridge penalty, but μ is 0"
	case g.Columns > maxGroupColumns:
		return fmt.Sprintf("they would need %d columns, but at most %d are tried", g.Columns, maxGroupColumns)
	}
	return ""
}

// designChoiceBytes returns the memory in bytes that choosing a design takes in addition to the table: copies of all
// rows and of the rows of one fold.
func designChoiceBytes(rows, columns int64) int64 {
	const rowBytes = 100 // targets, weights, groups and the predictions of every candidate
	n := min(rows, max(minDesignRows, maxDesignCells/max(1, columns)))
	bytes := n * (8*columns + rowBytes)
	if n < rows {
		bytes += n * 8 * columns
	}
	return bytes
}

// newPooledProblem returns p, the problem of choosing a design, and steps, the terms that may be chosen. p uses only
// the first training rows; these are a random sample, because the rows are in random order. If a choice is impossible,
// newPooledProblem returns a *tune.FewRowsError that states the reason.
func (c *Config) newPooledProblem(
	ctx context.Context, f *data.Frame, rows *encodedRows, g *GroupDesign,
) (p *pooled.Problem, steps [][]cellTerm, err error) {
	e, d := rows.fitted.Encoder, rows.fitted.Train
	if why := c.reasonNotTried(g, e.Target.Task); why != "" {
		return nil, nil, &tune.FewRowsError{Msg: why}
	}
	loss, err := losses.Parse(c.Loss, c.HuberDelta)
	if err != nil {
		return nil, nil, err
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
		return nil, nil, &tune.FewRowsError{Msg: fmt.Sprintf("there are only %d training rows; at least %d are needed", all.N,
			minDesignRows)}
	}
	fold, err := all.Folds(designFolds, c.Seed)
	if err != nil {
		return nil, nil, err
	}
	p = &pooled.Problem{
		X: all.X, Target: all.Target, Weight: all.Weights, Fold: make([]int32, all.N), Folds: designFolds, Loss: loss,
		Mu: *c.Mu * float64(d.N) / float64(all.N), Intercept: e.Intercept(),
	}
	for i, k := range fold {
		p.Fold[i] = int32(k)
	}
	if c.GroupHoldout != "" {
		if p.Unit, err = unitIndex(ctx, f, c.GroupHoldout, d.Rows[:all.N]); err != nil {
			return nil, nil, err
		}
		drawUnitFolds(p.Fold, p.Unit, c.Seed)
	}
	steps = groupSteps(rows)
	cells, columns := countCombinations(steps[0]), 0
	for o, step := range steps {
		columns += countColumns(step)
		why := ""
		switch {
		case cells*d.D*d.D > maxDesignGram:
			why = fmt.Sprintf("%d combinations of groups times %d columns are too many coefficients", cells, d.D)
		case o > 0 && columns > maxGroupColumns:
			why = fmt.Sprintf("they would need %d columns, but at most %d are tried", columns, maxGroupColumns)
		}
		if why != "" && o == 0 {
			return nil, nil, &tune.FewRowsError{Msg: why}
		} else if why != "" {
			g.CrossedLeftOut = why
			steps = steps[:o]
			break
		}
		var groups []pooled.Group
		for _, t := range step {
			groups = append(groups, pooled.Group{Level: t.cell, Levels: len(t.cells), Columns: t.Columns})
		}
		p.Steps = append(p.Steps, groups)
	}
	return p, steps, nil
}

// levelOfRow returns the level of input in that an encoded training row has, or −1 for nulls and rare levels.
func levelOfRow(in *encode.Input, row []float64) int32 {
	none := int32(-1)
	for k := range in.Labels() {
		switch at := in.Column(k); {
		case at < 0 && k < len(in.Levels):
			none = int32(k) // another level may have the indicator 1
		case at >= 0 && row[at] != 0 && k < len(in.Levels):
			return int32(k)
		case at >= 0 && row[at] != 0:
			return -1
		}
	}
	return none
}

// unitIndex numbers the distinct values of a column in the given rows; each null gets its own number.
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

// drawUnitFolds assigns units to random folds; the rows of a unit are in the same fold.
func drawUnitFolds(fold, unit []int32, seed uint64) {
	const stream = 0x756e6974
	perm := rand.New(rand.NewPCG(seed, stream)).Perm(int(slices.Max(unit)) + 1)
	for i, u := range unit {
		fold[i] = int32(perm[u] % designFolds)
	}
}

// describe returns a sentence that states the choice and its reason.
func (g *GroupDesign) describe() string {
	groups := "the groups of " + printable.NameList(g.Groups, "and")
	if g.LeftOut != "" {
		return fmt.Sprintf("all groups of %s have the same coefficients; separate ones were not tried, because %s",
			printable.NameList(g.Groups, "and"), g.LeftOut)
	}
	if g.IsShared() {
		best := g.Best(0)
		return fmt.Sprintf("all groups of %s have the same coefficients, because separate ones do not predict measurably "+
			"better (%s)", printable.NameList(g.Groups, "and"), g.describeChange("with separate ones", best.Change, best.SE))
	}
	best := g.Best(len(g.Ridges) - 1)
	text := fmt.Sprintf("%s have their own coefficients, shrunk towards the shared ones (penalty κ = %v", groups,
		g.Ridges[0])
	if len(g.Ridges) > 1 {
		text += fmt.Sprintf("; for combinations of these groups κ = %s", g.crossedRidges())
	}
	text += fmt.Sprintf("; %s)", g.describeChange("with them", best.Change, best.SE))
	if g.CrossedLeftOut != "" {
		text += "; separate coefficients for combinations of groups were not tried, because " + g.CrossedLeftOut
	}
	return text
}

// crossedRidges returns, as text, κ for the crossings of two group columns, of three, and so on.
func (g *GroupDesign) crossedRidges() string {
	return strings.Trim(fmt.Sprint(g.Ridges[1:]), "[]")
}

// describeChange describes the change in the mean loss that separate coefficients cause, and its standard error, as
// shares of the loss of ERM. with names the separate coefficients.
func (g *GroupDesign) describeChange(with string, change, se float64) string {
	than := "lower"
	if change > 0 {
		than = "higher"
	}
	return fmt.Sprintf("ERM’s out-of-fold loss is %.1f\u00a0%% %s %s, standard error %.1f\u00a0%%",
		100*math.Abs(change)/g.Shared, than, with, 100*se/g.Shared)
}

// addGroupCoefficients chooses a design and, if groups get their own coefficients, adds the products to the columns.
func (c Config) addGroupCoefficients(ctx context.Context, frame *data.Frame, rows *encodedRows) (*GroupDesign, error) {
	g, err := c.chooseGroupCoefficients(ctx, frame, rows)
	if err != nil || g.IsShared() {
		return g, err
	}
	if err := rows.fitted.AddProducts(g.productTerms(rows)); err != nil {
		return nil, err
	}
	if rows.validation != nil {
		rows.validation, err = c.encodeValidation(ctx, frame, rows.fitted.Encoder)
	}
	return g, err
}

// productTerms returns the products that represent the chosen group coefficients.
func (g *GroupDesign) productTerms(rows *encodedRows) (out []encode.Term) {
	for order, step := range groupSteps(rows) {
		if order == len(g.Ridges) {
			break
		}
		for _, t := range step {
			out = append(out, rows.fitted.Encoder.GroupProducts(t.GroupTerm, t.cells, g.Ridges[order])...)
		}
	}
	return out
}
