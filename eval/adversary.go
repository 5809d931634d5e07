package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/printable"
)

// AdversaryInput is the worst-case reweighting that training ended with, over
// the n training rows, or that of the losses of any model over any rows.
type AdversaryInput struct {
	// Model and Rows say whose losses on which rows; empty means the robust
	// model and Training. Penalty and Nu are recorded as given.
	Model   string
	Rows    Split
	Penalty string  // "kl", "chi2" or ""
	Nu      float64 // 0 when not known

	OverGroups bool // the adversary weighs groups, not rows

	Weights []float64       // n: y ≥ 0, Σ y = 1 within 1e-6
	Loss    []float64       // n: training losses of the robust model, or nil
	Groups  []data.Grouping // of the training rows

	// RowWeight are the weights the rows have before the adversary, of any
	// scale; nil means equal. Shares of rows are then shares of this weight.
	RowWeight []float64

	RowID   []int    // n, or nil for 1, 2, 3, …
	Columns []Column // raw features, for the mass by quantile and level
	Order   []int32  // n: the rows in the order in which Columns have them; nil: as they are here
	Top     int      // heaviest rows to list; 0 means 10, negative none

	Workers int            // goroutines; values below 1 mean GOMAXPROCS
	Observe func(Progress) // told how many columns are done, or nil
	Arena   *memory.Arena  // of vectors as long as the rows; nil: the heap

	// ShowRows lists the values of Columns in the heaviest rows. They may
	// identify people.
	ShowRows bool
}

// Adversary says who carries the objective.
type Adversary struct {
	Model   string `json:"model"`
	Rows    Split  `json:"rows"`
	Penalty string `json:"penalty,omitempty"`
	Nu      *Num   `json:"nu,omitempty"`

	// OverGroups: the adversary chose weights of groups, not of rows.
	OverGroups bool `json:"over_groups,omitempty"`

	N              int `json:"n"`
	Effective      Num `json:"effective_rows"` // 1/Σ y²
	EffectiveShare Num `json:"effective_share"`
	Perplexity     Num `json:"perplexity"` // exp(−Σ y log y)
	MaxWeight      Num `json:"max_weight_times_n"`
	RadiusKL       Num `json:"radius_kl"`         // Σ y log(n y)
	RadiusChi      Num `json:"radius_chi_square"` // ½ mean((n y − 1)²)
	ZeroRows       int `json:"zero_weight_rows"`
	HalfMassRows   int `json:"rows_holding_half"` // fewest rows that hold half of the mass
	TenPercent     Num `json:"mass_of_heaviest_tenth"`
	OnePercent     Num `json:"mass_of_heaviest_hundredth"`

	Concentration []Concentration `json:"concentration"`
	Groupings     []MassGrouping  `json:"mass_by_group"`
	Columns       []MassGrouping  `json:"mass_by_column"`
	Top           []TopRow        `json:"heaviest_rows"`
	TopColumns    []string        `json:"heaviest_rows_columns,omitempty"` // of the values of Top, when asked for
	Warnings      []string        `json:"warnings"`
}

// Concentration is one point of the curve "the heaviest x of the rows hold y
// of the mass".
type Concentration struct {
	Rows float64 `json:"share_of_rows"`
	Mass float64 `json:"share_of_mass"`
}

// MassGrouping divides the mass by the groups of a grouping, or by the levels
// or quintiles of a column.
type MassGrouping struct {
	Name   string      `json:"name"`
	Unit   string      `json:"unit,omitempty"`
	Groups []GroupMass `json:"groups"`
}

// GroupMass compares a group's share of the weights with its share of the rows.
type GroupMass struct {
	Label string  `json:"group"`
	N     int     `json:"n"`
	Share float64 `json:"share_of_rows"`
	Mass  float64 `json:"share_of_mass"`
}

// Lift returns Mass/Share: how many times its due the group weighs.
func (g GroupMass) Lift() float64 { return g.Mass / g.Share }

// TopRow is one of the heaviest rows: its number, counted from 1, and its values
// only when asked for.
type TopRow struct {
	Row    int  `json:"row"`
	Weight Num  `json:"weight_times_n"`
	Loss   *Num `json:"loss,omitempty"`
	Mass   Num  `json:"share_of_mass"`

	Values []string `json:"values,omitempty"`
}

// DescribeAdversary summarises worst-case weights. It is an error if they are
// empty, negative, not finite or do not sum to one, or if the lengths differ.
func DescribeAdversary(in AdversaryInput) (*Adversary, error) {
	n := len(in.Weights)
	if n == 0 {
		return nil, fmt.Errorf("eval: no weights")
	}
	if in.Loss != nil && len(in.Loss) != n || in.RowID != nil && len(in.RowID) != n || in.RowWeight != nil && len(in.RowWeight) != n {
		return nil, fmt.Errorf("eval: %d weights, but %d losses, %d row ids and %d row weights", n, len(in.Loss), len(in.RowID), len(in.RowWeight))
	}
	var sum, sq, ent measure.Summer
	a := &Adversary{Model: cmp.Or(in.Model, "robust"), Rows: cmp.Or(in.Rows, Training), Penalty: in.Penalty, OverGroups: in.OverGroups,
		N: n, Groupings: []MassGrouping{}, Columns: []MassGrouping{}, Top: []TopRow{}, Warnings: []string{}}
	for i, y := range in.Weights {
		if measure.Bad(y) || y < 0 {
			return nil, fmt.Errorf("eval: weight %d is %v", i+1, y)
		}
		sum.Add(y)
		sq.Add(y * y)
		if y > 0 {
			ent.Add(-y * math.Log(y))
		} else {
			a.ZeroRows++
		}
	}
	if math.Abs(sum.Sum()-1) > 1e-6 {
		return nil, fmt.Errorf("eval: the weights sum to %v, not to 1", sum.Sum())
	}
	N := float64(n)
	arena := in.Arena.NewChild()
	defer arena.Close()
	base := measure.ScaleWeightsIn(arena, in.RowWeight)
	if nu := Num(in.Nu); in.Nu > 0 {
		a.Nu = &nu
	}
	a.Effective = Num(1 / sq.Sum())
	a.EffectiveShare = a.Effective / Num(N)
	a.Perplexity = Num(math.Exp(ent.Sum()))
	a.MaxWeight = Num(slices.Max(in.Weights) * N)
	a.radii(in.Weights, base)
	a.concentrate(in.Weights)
	for _, g := range in.Groups {
		if err := checkGrouping(g, n); err != nil {
			return nil, err
		}
		a.Groupings = append(a.Groupings, massBy(g.Name, "", g.Labels, g.Index, in.Weights, base))
	}
	top := in.Top
	if top == 0 {
		top = 10
	}
	heaviest := measure.Largest(in.Weights, in.Loss, top) // an adversary over groups weighs all rows of one alike
	shown := make([][]string, len(heaviest))              // values of these rows, by column
	for k := range heaviest {
		shown[k] = make([]string, len(in.Columns))
	}
	weights, reference, place, err := in.inOrder(arena, base, heaviest)
	if err != nil {
		return nil, err
	}
	a.Columns = make([]MassGrouping, len(in.Columns))
	err = measure.Pool{Workers: in.Workers, Observe: in.Observe}.Parallel(context.Background(), "weighing columns", len(in.Columns), func(j int, _ *measure.Scratch) error {
		c, err := in.Columns[j].Loaded(len(weights))
		if err != nil {
			return err
		}
		defer c.Free()
		labels, code := c.CellsIn(arena)
		if c.Levels == nil {
			defer memory.Release(arena, code)
		}
		a.Columns[j] = massBy(c.Name, c.Unit, labels, code, weights, reference)
		for k, i := range place {
			shown[k][j] = c.Text(i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, i := range heaviest {
		r := TopRow{Row: i + 1, Weight: Num(in.Weights[i] * N), Mass: Num(in.Weights[i])}
		if in.RowID != nil {
			r.Row = in.RowID[i]
		}
		if in.Loss != nil {
			l := Num(in.Loss[i])
			r.Loss = &l
		}
		if in.ShowRows {
			r.Values = shown[k]
		}
		a.Top = append(a.Top, r)
	}
	if in.ShowRows {
		for _, c := range in.Columns {
			a.TopColumns = append(a.TopColumns, words.WithUnit(c.Name, c.Unit))
		}
	}
	a.warn()
	return a, nil
}

// inOrder returns the weights, and those that the rows have before, in the order of the columns, and
// the places of some rows in it.
func (in *AdversaryInput) inOrder(arena *memory.Arena, base []float64, rows []int) (weights, reference []float64, places []int, err error) {
	n := len(in.Weights)
	if in.Order == nil {
		return in.Weights, base, rows, nil
	}
	if len(in.Order) != n {
		return nil, nil, nil, fmt.Errorf("eval: an order of %d rows, not of %d", len(in.Order), n)
	}
	if weights = memory.Make[float64](arena, n); base != nil {
		reference = memory.Make[float64](arena, n)
	}
	places = make([]int, len(rows))
	for k, i := range in.Order {
		if i < 0 || int(i) >= n {
			return nil, nil, nil, fmt.Errorf("eval: row %d of the order is none of %d", i, n)
		}
		if weights[k] = in.Weights[i]; base != nil {
			reference[k] = base[i]
		}
		if at := slices.Index(rows, int(i)); at >= 0 {
			places[at] = k
		}
	}
	return weights, reference, places, nil
}

// Holders works like [DescribeAdversary] for the worst case of in.Loss at ν under the
// penalty "kl" or "chi2": who would carry the objective of any model with these
// losses, trained here or not. in.Weights is ignored.
func Holders(in AdversaryInput, penalty string, nu float64) (*Adversary, WorstCase, error) {
	f := measure.WorstKL
	switch penalty {
	case "kl":
	case "chi2":
		f = measure.WorstChiSquare
	default:
		return nil, WorstCase{}, fmt.Errorf("eval: penalty %q is neither kl nor chi2", penalty)
	}
	arena := in.Arena.NewChild()
	defer arena.Close()
	y, w, err := f(arena, in.Loss, measure.ScaleWeightsIn(arena, in.RowWeight), nu)
	if err != nil {
		return nil, WorstCase{}, err
	}
	in.Weights, in.Penalty, in.Nu = y, penalty, nu
	a, err := DescribeAdversary(in)
	return a, w, err
}

// radii measures how far the weights are from those the rows had before.
func (a *Adversary) radii(y, base []float64) {
	var kl, chi measure.Summer
	n := float64(len(y))
	for i, v := range y {
		w := 1.0
		if base != nil {
			w = base[i]
		}
		if v > 0 {
			kl.Add(v * math.Log(n*v/w))
		}
		d := n*v/w - 1
		chi.Add(w * d * d)
	}
	a.RadiusKL, a.RadiusChi = Num(max(0, kl.Sum())), Num(chi.Sum()/n/2)
}

// concentrate fills in how few rows hold how much of the mass.
func (a *Adversary) concentrate(y []float64) {
	n := len(y)
	const points = 40 // and n itself; evenly on a logarithmic scale
	var counts []int
	for k := range points {
		at := float32(math.Pow(float64(n), float64(k)/points)) // but for rounding
		counts = append(counts, int(math.Ceil(float64(at))))
	}
	counts = slices.Compact(append(counts, n))
	curve := len(counts)
	of, half := measure.Heaviest(y, append(counts, max(1, n/10), max(1, n/100)), 0.5)
	for _, h := range of[:curve] {
		a.Concentration = append(a.Concentration, Concentration{float64(h.Count) / float64(n), min(1, h.Mass)})
	}
	a.TenPercent, a.OnePercent, a.HalfMassRows = Num(of[curve].Mass), Num(of[curve+1].Mass), half.Count
}

func massBy(name, unit string, labels []string, index []int32, y, base []float64) MassGrouping {
	cells := len(labels) + 1 // the last one holds what is missing
	m, share, c := make([]measure.Summer, cells), make([]measure.Summer, cells), make([]int, cells)
	for i, k := range index {
		if k < 0 {
			k = int32(len(labels))
		}
		m[k].Add(y[i])
		c[k]++
		if base != nil {
			share[k].Add(base[i])
		}
	}
	out := MassGrouping{Name: name, Unit: unit, Groups: []GroupMass{}}
	for k := range cells {
		if c[k] == 0 {
			continue
		}
		label, w := "(missing)", float64(c[k])
		if k < len(labels) {
			label = labels[k]
		}
		if base != nil {
			w = share[k].Sum()
		}
		out.Groups = append(out.Groups, GroupMass{label, c[k], w / float64(len(index)), m[k].Sum()})
	}
	return out
}

// warn says when a handful of rows carry the objective, and what helps.
func (a *Adversary) warn() {
	advice := " Raise ν, use the Huber loss, or look at those rows first: they may be errors in the data."
	if a.Rows != Training {
		advice = " Look at those rows first: they may be errors in the data. A larger ν, or the Huber loss, spreads the weight."
	}
	switch ess := float64(a.Effective); {
	case ess < 30:
		a.Warnings = append(a.Warnings, fmt.Sprintf("About %s of %s %s the objective (effective sample size %s).%s",
			words.Count(int(math.Ceil(ess))), words.Plural(a.N, "row", "rows"), printable.Noun(math.Ceil(ess), "carries", "carry"), words.Number(ess), advice))
	case ess < 0.05*float64(a.N):
		a.Warnings = append(a.Warnings, fmt.Sprintf("The effective sample size is %s, %s of the %s rows: the worst case rests on few of them.%s",
			words.Number(ess), words.Percent(ess/float64(a.N)), words.Count(a.N), advice))
	}
	if len(a.Warnings) == 0 && a.N > 100 && float64(a.MaxWeight) > 0.05*float64(a.N) {
		a.Warnings = append(a.Warnings, fmt.Sprintf("One row holds %s of the weight.%s", words.Percent(float64(a.MaxWeight)/float64(a.N)), advice))
	}
}
