package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/resample"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/paged"
)

// SliceSearch lists subgroups nobody named on which the risk is high. Half of
// the rows is searched, the other half confirms what was found there.
type SliceSearch struct {
	Model     string  `json:"model"`
	Method    string  `json:"method"`
	Tried     int     `json:"conditions_tried"`
	MinRows   int     `json:"min_rows"`
	SearchN   int     `json:"search_rows"`
	ConfirmN  int     `json:"confirm_rows"`
	Confirmed int     `json:"confirmed"`
	Found     []Slice `json:"found"`
}

// A Slice is a condition on one or two columns.
type Slice struct {
	Condition  string   `json:"condition"`
	SearchRisk Num      `json:"search_risk"`     // where it was found: optimistic
	N          int      `json:"n"`               // on the confirming half, as all below
	Risk       Num      `json:"risk"`            // mean loss inside
	Rest       Num      `json:"risk_of_rest"`    // mean loss outside
	Interval   Interval `json:"excess_interval"` // of Risk − Rest, corrected for the number found
	Confirmed  bool     `json:"confirmed"`       // the interval lies above 0, and there are rows enough (20, or min_group_size)
}

// maxFound is how many candidate slices go on to confirmation; the intervals
// are corrected for that many looks.
const maxFound = 5

// maxPairCells is the largest cross table of two columns that is searched.
const maxPairCells = 4096

// A cut column: each row's cell and the cells' conditions as text. Cells are those large
// enough in the searching half, of which there are a hundred at most; noCell stands for others.
type cutColumn struct {
	code  []uint8
	text  []string
	cells int // of any size
}

const noCell = math.MaxUint8

// searchSlices looks for the slices of the model in focus with the largest
// standardised excess risk, over single cells (a level, or a quintile of a
// number) and pairs of cells of two columns.
func searchSlices(ctx context.Context, in *Input) (*SliceSearch, error) {
	m := in.Models[Focus(len(in.Models))]
	n := len(in.Target)
	r := resample.NewRNG(in.Seed, 0x511ce5)
	room := in.rows.Room
	perm := paged.Make[int32](room, n)
	for i := range perm {
		j := int(r.Below(uint32(i + 1)))
		perm[i] = perm[j]
		perm[j] = int32(i)
	}
	half := n / 2
	search, confirm := perm[:half], perm[half:]
	s := &SliceSearch{Model: m.Name, SearchN: half, ConfirmN: n - half, MinRows: max(in.MinGroupSize, 20, half/100), Found: []Slice{}}
	s.Method = fmt.Sprintf("Conditions on one or two columns (levels, quintiles) were searched on %s rows for excess risk and the best confirmed on the other %s; intervals are Bonferroni-corrected for the slices confirmed, normal approximation with unequal variances; fewer than %d rows confirm nothing.", words.Count(half), words.Count(n-half), max(in.MinGroupSize, 20))
	if len(in.Columns) > pairedColumns {
		s.Method += fmt.Sprintf(" Pairs are of the %d columns with the worst single conditions.", pairedColumns)
	}
	if in.rows.Weight != nil {
		s.Method += " The search counts rows, the confirmation their weights."
	}
	if half < 2*s.MinRows {
		s.Method = fmt.Sprintf("%s rows are too few to search one half and confirm on the other.", words.Count(n))
		return s, nil
	}
	cols := make([]cutColumn, len(in.Columns))
	err := in.rows.Parallel(ctx, "cutting columns", len(cols), func(j int, _ *measure.Scratch) error {
		c, err := in.Columns[j].Loaded(n)
		if err != nil {
			return err
		}
		defer c.Free()
		labels, code := c.CellsIn(room)
		if c.Levels == nil {
			defer paged.Free(room, code)
		}
		cut := cutColumn{code: paged.Make[uint8](room, n), cells: len(labels)}
		size, as := make([]int, len(labels)), make([]uint8, len(labels))
		for _, i := range search {
			if code[i] >= 0 {
				size[code[i]]++
			}
		}
		for k, l := range labels {
			if as[k] = noCell; size[k] < s.MinRows || size[k] > half-s.MinRows {
				continue
			}
			as[k] = uint8(len(cut.text))
			text := c.Name + " = " + l
			if c.Levels == nil && len(labels) > 1 {
				text = words.WithUnit(c.Name+" "+l, c.Unit)
			}
			cut.text = append(cut.text, text)
		}
		for i, k := range code {
			if cut.code[i] = noCell; k >= 0 {
				cut.code[i] = as[k]
			}
		}
		cols[j] = cut
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := rankSlices(ctx, in, s, cols, m.Loss, search)
	if err != nil {
		return nil, err
	}
	z := resample.NormalQuantile(1 - (1-in.confidence())/float64(max(1, len(found))))
	for _, f := range found {
		keep := func(i int32) bool {
			return cols[f.a].code[i] == f.ka && (f.b < 0 || cols[f.b].code[i] == f.kb)
		}
		both := paged.Make[int32](room, 2*len(confirm))
		inside, rest := both[:0:len(confirm)], both[len(confirm):len(confirm)]
		for _, i := range confirm {
			if keep(i) {
				inside = append(inside, i)
			} else {
				rest = append(rest, i)
			}
		}
		if len(inside) < 2 || len(rest) < 2 {
			paged.Free(room, both)
			continue
		}
		a, va := meanAndVariance(m.Loss, in.rows.Weight, inside)
		b, vb := meanAndVariance(m.Loss, in.rows.Weight, rest)
		d, se := a-b, math.Sqrt(va+vb)
		paged.Free(room, both)
		q := Slice{Condition: cols[f.a].text[f.ka], SearchRisk: Num(f.risk), N: len(inside), Risk: Num(a), Rest: Num(b),
			Interval: Interval{Low: Num(d - z*se), High: Num(d + z*se), Method: "normal, Bonferroni"}}
		if f.b >= 0 {
			q.Condition += " and " + cols[f.b].text[f.kb]
		}
		q.Confirmed = float64(q.Interval.Low) > 0 && q.N >= max(in.MinGroupSize, 20)
		if q.Confirmed {
			s.Confirmed++
		}
		s.Found = append(s.Found, q)
	}
	slices.SortStableFunc(s.Found, func(a, b Slice) int { return cmp.Compare(b.Risk-b.Rest, a.Risk-a.Rest) })
	return s, nil
}

// A candidate is cell ka of column a, and of column b (−1: none) cell kb.
type candidate struct {
	a, b   int
	ka, kb uint8
	risk   float64
	t      float64 // excess over its standard error
}

// pairedColumns is the most columns that are searched in pairs: where there are
// more, those with the worst single cells.
const pairedColumns = 32

// A cellSum is what the search sums up of a cell: rows, and Σ d and Σ d² of the
// losses about their mean.
type cellSum struct{ n, sum, sq float64 }

// rankSlices returns the best candidates, no two of which share a cell.
func rankSlices(ctx context.Context, in *Input, s *SliceSearch, cols []cutColumn, loss []float64, rows []int32) ([]candidate, error) {
	var all measure.Moments
	dev := paged.Make[float64](in.rows.Room, len(rows))
	for _, i := range rows {
		all.Add(loss[i])
	}
	for r, i := range rows {
		dev[r] = loss[i] - all.Mean
	}
	consider := func(to *[]candidate, c candidate, v cellSum) {
		if v.n < float64(s.MinRows) || v.n > all.N-float64(s.MinRows) {
			return
		}
		inside := v.sum / v.n
		rest := -v.sum / (all.N - v.n)
		variance := math.Max(0, v.sq-v.sum*inside) / (v.n - 1)
		if se := math.Sqrt(variance/v.n + all.Variance()/all.N); se > 0 && inside > rest {
			c.risk, c.t = all.Mean+inside, (inside-rest)/se
			*to = append(*to, c)
		}
	}
	single := make([][]candidate, len(cols))
	code := make([][]uint8, len(cols)) // of the rows searched, in their order
	err := in.rows.Parallel(ctx, "searching slices", len(cols), func(a int, _ *measure.Scratch) error {
		t := make([]cellSum, len(cols[a].text))
		code[a] = paged.Make[uint8](in.rows.Room, len(rows))
		for r, i := range rows {
			k := cols[a].code[i]
			code[a][r] = k
			if k != noCell {
				d := dev[r]
				t[k] = cellSum{t[k].n + 1, t[k].sum + d, t[k].sq + d*d}
			}
		}
		for k, v := range t {
			consider(&single[a], candidate{a: a, ka: uint8(k), b: -1}, v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var cands []candidate
	for a := range cols {
		cands = append(cands, single[a]...)
		s.Tried += len(cols[a].text)
	}
	paired := pairedOf(single)
	type pair struct{ a, b int }
	var pairs []pair
	for p, a := range paired {
		for _, b := range paired[p+1:] {
			if cols[a].cells*cols[b].cells <= maxPairCells {
				pairs = append(pairs, pair{a, b})
			}
		}
	}
	double, tried := make([][]candidate, len(pairs)), make([]int, len(pairs))
	err = in.rows.Parallel(ctx, "searching pairs of columns", len(pairs), func(p int, _ *measure.Scratch) error {
		a, b := pairs[p].a, pairs[p].b
		w := len(cols[b].text)
		t := make([]cellSum, len(cols[a].text)*w)
		ca, cb := code[a], code[b]
		for r, d := range dev {
			ka, kb := ca[r], cb[r]
			if ka == noCell || kb == noCell {
				continue
			}
			v := &t[int(ka)*w+int(kb)]
			v.n++
			v.sum += d
			v.sq += d * d
		}
		for k, v := range t {
			if v.n > 0 {
				tried[p]++
				consider(&double[p], candidate{a: a, ka: uint8(k / w), b: b, kb: uint8(k % w)}, v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for p := range pairs {
		cands = append(cands, double[p]...)
		s.Tried += tried[p]
	}
	slices.SortStableFunc(cands, func(a, b candidate) int { return cmp.Compare(b.t, a.t) })
	var out []candidate
	for _, c := range cands {
		if !slices.ContainsFunc(out, c.shares) {
			out = append(out, c)
		}
		if len(out) == maxFound {
			break
		}
	}
	return out, nil
}

// pairedOf returns the columns to pair, in ascending order.
func pairedOf(single [][]candidate) []int {
	out := make([]int, len(single))
	worst := make([]float64, len(single))
	for a, cands := range single {
		out[a] = a
		for _, c := range cands {
			worst[a] = max(worst[a], c.t)
		}
	}
	if len(out) > pairedColumns {
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(worst[b], worst[a]) })
		out = out[:pairedColumns]
		slices.Sort(out)
	}
	return out
}

// shares reports whether two candidates have a cell in common.
func (c candidate) shares(o candidate) bool {
	has := func(col int, k uint8) bool { return o.a == col && o.ka == k || o.b == col && o.kb == k }
	return has(c.a, c.ka) || c.b >= 0 && has(c.b, c.kb)
}

// meanAndVariance returns the weighted mean of x over rows and the variance of
// that mean.
func meanAndVariance(x, weight []float64, rows []int32) (m, variance float64) {
	var s measure.Summer
	total := measure.SumAt(weight, rows)
	w := func(i int32) float64 {
		if weight == nil {
			return 1
		}
		return weight[i]
	}
	for _, i := range rows {
		s.Add(w(i) * x[i])
	}
	m = s.Sum() / total
	var q measure.Summer
	for _, i := range rows {
		d := w(i) * (x[i] - m)
		q.Add(d * d)
	}
	n := float64(len(rows))
	return m, q.Sum() / (total * total) * n / (n - 1)
}
