package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A cutColumn is a column divided into cells: the cell of every row, and the condition of every cell as text. There
// are at most a hundred cells, each with enough rows in the half that is searched; rows in no such cell have the
// code noCell.
type cutColumn struct {
	code   []uint8
	search []uint8 // code of each row in the half that is searched
	text   []string
	cells  int // number of cells, including small ones
}

const noCell = math.MaxUint8

// cutColumn divides column j into cells and stores them.
func (s *sliceSearcher) cutColumn(j int) error {
	arena := s.in.rows.Arena
	c, err := s.in.Columns[j].loaded(len(s.in.Target))
	if err != nil {
		return err
	}
	defer c.free()
	labels, code := c.cellsIn(arena)
	if c.Levels == nil {
		defer memory.Release(arena, code)
	}
	cut := cutColumn{code: memory.Make[uint8](arena, len(code)), cells: len(labels)}
	size, as := make([]int, len(labels)), make([]uint8, len(labels))
	for _, i := range s.search {
		if code[i] >= 0 {
			size[code[i]]++
		}
	}
	for k, l := range labels {
		if as[k] = noCell; size[k] < s.out.MinRows || size[k] > len(s.search)-s.out.MinRows {
			continue
		}
		as[k] = uint8(len(cut.text))
		text := c.Name + " = " + l
		switch low, high, isRange := strings.Cut(l, " to "); {
		case c.Levels != nil:
		case isRange: // open below, see cellsIn
			text = printable.WithUnit(fmt.Sprintf("%s < %s ≤ %s", low, c.Name, high), c.Unit)
		case strings.HasPrefix(l, "≤ ") || strings.HasPrefix(l, "> "):
			text = printable.WithUnit(c.Name+" "+l, c.Unit)
		default:
			text = printable.WithUnit(text, c.Unit)
		}
		cut.text = append(cut.text, text)
	}
	for i, k := range code {
		if cut.code[i] = noCell; k >= 0 {
			cut.code[i] = as[k]
		}
	}
	s.columns[j] = cut
	return nil
}

// A candidate is the intersection of cell ka of column a and cell kb of column b, or the same cell twice if a
// single column defines it.
type candidate struct {
	a, b   int
	ka, kb uint8
	risk   float64
	t      float64 // excess divided by its standard error
}

// A cellSum holds the number of rows of a cell and the sums of d and d², where d is the loss minus its mean.
type cellSum struct{ n, sum, sq float64 }

func (c *cellSum) add(d float64) {
	c.n++
	c.sum += d
	c.sq += d * d
}

// pairedColumns is the maximum number of columns that are searched in pairs; if there are more, those with the
// worst single cells are used. maxPairCells is the maximum size of a cross table of two columns.
const (
	pairedColumns = 32
	maxPairCells  = 4096
)

// rankCandidates returns the best candidates; no two of them share a cell.
func (s *sliceSearcher) rankCandidates(ctx context.Context) ([]candidate, error) {
	s.deviation = memory.Make[float64](s.in.rows.Arena, len(s.search))
	for _, i := range s.search {
		s.all.Add(s.loss[i])
	}
	for k, i := range s.search {
		s.deviation[k] = s.loss[i] - s.all.Mean
	}
	single := make([][]candidate, len(s.columns))
	err := s.in.rows.Parallel(ctx, "searching slices", len(single), func(a int) error {
		single[a] = s.rankSingle(a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range s.columns {
		s.out.Tried += len(c.text)
	}
	pairs := s.pairsToTry(single)
	double, tried := make([][]candidate, len(pairs)), make([]int, len(pairs))
	err = s.in.rows.Parallel(ctx, "searching slices of two columns", len(pairs), func(p int) error {
		double[p], tried[p] = s.rankPairs(pairs[p][0], pairs[p][1])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, k := range tried {
		s.out.Tried += k
	}
	return topCandidates(slices.Concat(slices.Concat(single...), slices.Concat(double...))), nil
}

// rankSingle returns the cells of column a with losses above the average, and keeps the codes of the column.
func (s *sliceSearcher) rankSingle(a int) (to []candidate) {
	t := make([]cellSum, len(s.columns[a].text))
	c := &s.columns[a]
	c.search = memory.Make[uint8](s.in.rows.Arena, len(s.search))
	for i, row := range s.search {
		k := c.code[row]
		if c.search[i] = k; k != noCell {
			t[k].add(s.deviation[i])
		}
	}
	for k, v := range t {
		to = s.appendIfRemarkable(to, candidate{a: a, ka: uint8(k), b: a, kb: uint8(k)}, v)
	}
	return to
}

// rankPairs returns the pairs of cells of columns a and b with losses above the average, and the number of pairs
// tried.
func (s *sliceSearcher) rankPairs(a, b int) (to []candidate, tried int) {
	w := len(s.columns[b].text)
	t := make([]cellSum, len(s.columns[a].text)*w)
	ca, cb := s.columns[a].search, s.columns[b].search
	for i, d := range s.deviation {
		if ka, kb := ca[i], cb[i]; ka != noCell && kb != noCell {
			t[int(ka)*w+int(kb)].add(d)
		}
	}
	for k, v := range t {
		if v.n > 0 {
			tried++
			to = s.appendIfRemarkable(to, candidate{a: a, ka: uint8(k / w), b: b, kb: uint8(k % w)}, v)
		}
	}
	return to, tried
}

// appendIfRemarkable adds a candidate if its rows have larger losses than the other rows, if it has at most half of
// the rows, and if both parts have enough rows. If a candidate has more than half of the rows, the other rows are the
// remarkable ones.
func (s *sliceSearcher) appendIfRemarkable(to []candidate, c candidate, v cellSum) []candidate {
	least := float64(s.out.MinRows)
	if v.n < least || v.n > s.all.N-least || v.n > s.all.N/2 {
		return to
	}
	inside := v.sum / v.n
	rest := -v.sum / (s.all.N - v.n)
	variance := math.Max(0, v.sq-v.sum*inside) / (v.n - 1)
	if se := math.Sqrt(variance/v.n + s.all.Variance()/s.all.N); se > 0 && inside > rest {
		c.risk, c.t = s.all.Mean+inside, (inside-rest)/se
		to = append(to, c)
	}
	return to
}

// pairsToTry returns the pairs of columns to search.
func (s *sliceSearcher) pairsToTry(single [][]candidate) (pairs [][2]int) {
	paired := columnsToPair(single)
	for p, a := range paired {
		for _, b := range paired[p+1:] {
			if s.columns[a].cells*s.columns[b].cells <= maxPairCells {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}

// topCandidates returns the candidates with the largest excess loss; no two of them share a cell.
func topCandidates(of []candidate) (out []candidate) {
	slices.SortStableFunc(of, func(a, b candidate) int { return cmp.Compare(b.t, a.t) })
	for _, c := range of {
		if !slices.ContainsFunc(out, c.hasSharedCell) {
			out = append(out, c)
		}
		if len(out) == maxFound {
			break
		}
	}
	return out
}

// columnsToPair returns the columns to pair, in ascending order.
func columnsToPair(single [][]candidate) []int {
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

// hasSharedCell reports whether two candidates share a cell.
func (c candidate) hasSharedCell(o candidate) bool {
	has := func(col int, k uint8) bool { return o.a == col && o.ka == k || o.b == col && o.kb == k }
	return has(c.a, c.ka) || has(c.b, c.kb)
}
