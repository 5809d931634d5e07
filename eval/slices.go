package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A SliceSearch lists subgroups with a high risk that a search has found. Half of the rows are searched, and the
// other half confirm the findings.
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

// A Slice is a subgroup defined by conditions on one or two columns.
type Slice struct {
	Condition  string `json:"condition"`
	SearchRisk Num    `json:"search_risk"` // optimistic risk, from the rows of the search
	// number of rows in the confirming half, to which the fields below refer too
	N    int `json:"n"`
	Risk Num `json:"risk"`         // mean loss inside
	Rest Num `json:"risk_of_rest"` // mean loss outside
	// interval of Risk − Rest, corrected for the number of candidates found
	Interval Interval `json:"excess_interval"`
	// the interval lies above 0, and there are enough rows (20, or min_group_size)
	Confirmed bool `json:"confirmed"`
}

// maxFound is the maximum number of candidates that are tested; intervals are corrected for that many comparisons.
const maxFound = 5

// minConfirmed returns the minimum number of rows of a slice in the confirming half.
func (in *Input) minConfirmed() int { return max(in.MinGroupSize, 20) }

// A sliceSearcher holds the state of a search for slices.
type sliceSearcher struct {
	in              *Input
	loss            []float64 // losses of the model that is examined
	search, confirm []int32   // rows
	columns         []cutColumn
	out             *SliceSearch

	all       meanVariance // mean and variance of the losses in the half that is searched
	deviation []float64    // deviations of these losses from their mean
}

// searchSlices searches for the slices with the largest standardised excess risk of model k, over
// single cells (a level, or a quintile of a number) and pairs of cells of two columns.
func searchSlices(ctx context.Context, in *Input, k int) (*SliceSearch, error) {
	m := in.Models[k]
	n := len(in.Target)
	half := n / 2
	s := &sliceSearcher{in: in, loss: m.Loss, columns: make([]cutColumn, len(in.Columns)),
		out: &SliceSearch{Model: m.Name, SearchN: half, ConfirmN: n - half, MinRows: max(in.minConfirmed(), half/100),
			Found: []Slice{}}}
	if half < 2*s.out.MinRows {
		s.out.Method = printable.Plural(n, "row is", "rows are") + " too few to search one half and test the findings " +
			"on the other."
		return s.out, nil
	}
	s.out.Method = s.describeMethod()
	rows := permuteRows(in, n)
	s.search, s.confirm = rows[:half], rows[half:]
	err := in.rows.Parallel(ctx, "binning columns for slices", len(s.columns), func(j int) error { return s.cutColumn(j) })
	if err != nil {
		return nil, err
	}
	found, err := s.rankCandidates(ctx)
	if err != nil {
		return nil, err
	}
	z := interval.NormalQuantile(1 - (1-in.confidence())/float64(len(found)))
	for _, c := range found {
		if q, ok := s.confirmSlice(c, z); ok {
			s.out.Found = append(s.out.Found, q)
			if q.Confirmed {
				s.out.Confirmed++
			}
		}
	}
	slices.SortStableFunc(s.out.Found, func(a, b Slice) int { return cmp.Compare(b.Risk-b.Rest, a.Risk-a.Rest) })
	return s.out, nil
}

// describeMethod describes the search.
func (s *sliceSearcher) describeMethod() string {
	text := fmt.Sprintf(
		"A slice is the set of rows that meet a condition on one or two columns: a level, or a range between quintiles, "+
			"which includes its upper end. Conditions that hold for more than half of the rows were left out. The "+
			"conditions with the largest excess risk in %s rows were tested on the other %s rows, the second half. The "+
			"intervals are Bonferroni-corrected for the number of slices tested and use a normal approximation with "+
			"unequal variances; a slice with fewer than %d rows is never confirmed.", printable.Count(s.out.SearchN),
		printable.Count(s.out.ConfirmN), s.in.minConfirmed())
	if len(s.in.Columns) > pairedColumns {
		text += fmt.Sprintf(" Pairs of columns were formed from the %d columns whose single conditions had the largest "+
			"excess risk.",
			pairedColumns)
	}
	if s.in.rows.Weight != nil {
		text += " The search ignores the row weights; the confirmation uses them."
	}
	return text
}

// permuteRows returns n rows in an order determined by the seed.
func permuteRows(in *Input, n int) []int32 {
	r := interval.NewRNG(in.Seed, 0x511ce5)
	perm := memory.Make[int32](in.rows.Arena, n)
	for i := range perm {
		j := int(r.IntBelow(uint32(i + 1)))
		perm[i] = perm[j]
		perm[j] = int32(i)
	}
	return perm
}

// confirmSlice evaluates a candidate on the confirming half, with an interval of z standard errors. It returns
// false if the slice or the other rows have fewer than two rows there.
func (s *sliceSearcher) confirmSlice(c candidate, z float64) (Slice, bool) {
	arena := s.in.rows.Arena
	both := memory.Make[int32](arena, 2*len(s.confirm))
	defer memory.Release(arena, both)
	inside, rest := both[:0:len(s.confirm)], both[len(s.confirm):len(s.confirm)]
	for _, i := range s.confirm {
		if s.columns[c.a].code[i] == c.ka && s.columns[c.b].code[i] == c.kb {
			inside = append(inside, i)
		} else {
			rest = append(rest, i)
		}
	}
	if len(inside) < 2 || len(rest) < 2 {
		return Slice{}, false
	}
	mean := func(rows []int32) (mean, variance float64) {
		mean, se := s.in.rows.Weight.Mean(rows, func(i int32) float64 { return s.loss[i] })
		n := float64(len(rows))
		return mean, se * se * n / (n - 1)
	}
	a, va := mean(inside)
	b, vb := mean(rest)
	d, se := a-b, math.Sqrt(va+vb)
	q := Slice{Condition: s.columns[c.a].text[c.ka], SearchRisk: Num(c.risk), N: len(inside), Risk: Num(a), Rest: Num(b),
		Interval: Interval{Low: Num(d - z*se), High: Num(d + z*se), Method: "normal, Bonferroni"}}
	if c.b != c.a {
		q.Condition += " and " + s.columns[c.b].text[c.kb]
	}
	q.Confirmed = float64(q.Interval.Low) > 0 && q.N >= s.in.minConfirmed()
	return q, true
}
