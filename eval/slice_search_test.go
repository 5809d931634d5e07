package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What a search ranks a slice by is computed from its rows: the mean loss inside, and how
// far it lies above that of all other rows, in standard errors. Slices come in that order,
// none is better than those outside of it, and none shares a cell with a better one.
func TestSearchSlices_Ranking(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(14, 2))
	cols := make([]cutColumn, 3)
	for a := range cols {
		cols[a] = cutColumn{text: []string{"p", "q", "r"}[:2+a%2], code: make([]uint8, n), cells: 2 + a%2}
		for i := range n {
			cols[a].code[i] = uint8(r.IntN(2 + a%2))
			if r.IntN(20) == 0 {
				cols[a].code[i] = noCell
			}
		}
	}
	loss := make([]float64, n)
	var rows []int32
	for i := range loss {
		loss[i] = 5 + r.ExpFloat64()
		if cols[0].code[i] == 1 {
			loss[i]++
		}
		if cols[1].code[i] == 2 && cols[2].code[i] == 0 {
			loss[i] += 2
		}
		if i%3 > 0 {
			rows = append(rows, int32(i))
		}
	}
	s := &sliceSearcher{in: &Input{rows: (&Input{}).newMeasuredRows()}, loss: loss, search: rows, columns: cols,
		out: &SliceSearch{MinRows: 15}}
	found, err := s.rankCandidates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 2 || s.out.Tried < len(found) {
		t.Fatalf("%d slices found of %d", len(found), s.out.Tried)
	}
	moments := func(keep func(i int32) bool) (n, mean, variance float64) {
		for _, i := range rows {
			if keep(i) {
				n++
				mean += loss[i]
			}
		}
		mean /= n
		for _, i := range rows {
			if keep(i) {
				variance += (loss[i] - mean) * (loss[i] - mean)
			}
		}
		return n, mean, variance / (n - 1)
	}
	all, _, spread := moments(func(int32) bool { return true })
	before := math.Inf(1)
	for k, c := range found {
		inside := func(i int32) bool {
			return cols[c.a].code[i] == c.ka && cols[c.b].code[i] == c.kb
		}
		size, mean, variance := moments(inside)
		_, rest, _ := moments(func(i int32) bool { return !inside(i) })
		want := (mean - rest) / math.Sqrt(variance/size+spread/all)
		if !(math.Abs(c.risk-mean) <= 1e-9) || !(math.Abs(c.t-want) <= 1e-9*want) || !(mean > rest) || size < 15 ||
			size > all-15 {
			t.Errorf("slice %d of %v rows: risk %v, %v errors; its rows have %v, %v", k, size, c.risk, c.t, mean, want)
		}
		if c.t > before || c.b < c.a {
			t.Errorf("slice %d, %+v, after one of %v", k, c, before)
		}
		before = c.t
		for _, o := range found[:k] {
			if o.a == c.a && o.ka == c.ka || o.b == c.b && o.kb == c.kb || o.a == c.b && o.ka == c.kb ||
				o.b == c.a && o.kb == c.ka {
				t.Errorf("%+v shares a cell with %+v", c, o)
			}
		}
	}
}

// Of many columns those with the worst single conditions are paired, in their order; a column
// without any comes last, and of equals the first.
func TestSearchSlices_PairsWorstColumns(t *testing.T) {
	single := make([][]candidate, pairedColumns+3)
	for a := range single {
		single[a] = []candidate{{t: 1}, {t: 2 + float64(a%7)}, {t: 3}}
	}
	all := columnsToPair(single[:pairedColumns])
	if len(all) != pairedColumns {
		t.Fatalf("%d of %d columns", len(all), pairedColumns)
	}
	single[4], single[11], single[20] = nil, []candidate{{t: 0.5}}, []candidate{{t: 0.25}}
	got := columnsToPair(single)
	var want []int
	for a := range single {
		if a != 4 && a != 11 && a != 20 {
			want = append(want, a)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("columns %v, not %v", got, want)
	}
}

// A slice holds a hundredth of the rows that are searched, and no fewer than can be confirmed.
func TestSlices_HaveEnoughRows(t *testing.T) {
	for n, want := range map[int]int{200: 20, 4000: 20, 4198: 20, 4200: 21, 20198: 100, 20200: 101} {
		in := &Input{rows: (&Input{}).newMeasuredRows(), Target: make([]float64, n),
			Models: []Model{{Loss: make([]float64, n)}}}
		s, err := searchSlices(t.Context(), in, 0)
		if err != nil || s.MinRows != want {
			t.Errorf("%d rows: %d, not %d: %v", n, s.MinRows, want, err)
		}
	}
}
