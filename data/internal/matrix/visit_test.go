package matrix

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// paper is a part of which only its pages are known.
type paper struct {
	rows  int
	pages []table.Page
}

func (p paper) Rows() int           { return p.rows }
func (p paper) Nullable() bool      { return false }
func (p paper) Pages() []table.Page { return p.pages }
func (p paper) Open(int, *table.Buffers) (table.Values, error) {
	return nil, errors.New("the column has no values")
}

func inPages(rows, each, bytes int) paper {
	p := paper{rows: rows}
	for row := 0; row < rows; row += each {
		p.pages = append(p.pages, table.Page{Row: row, Rows: min(each, rows-row), Bytes: bytes})
	}
	return p
}

// Ranges follow each other, begin at stripes, are as many as asked for but no shorter than
// makes sense, nearly equal, and begin with a page where one begins near.
func TestRanges_CoverTheRows(t *testing.T) {
	const least = 16 * StripeRows
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		rows, n := 1+rng.IntN(40*StripeRows*16), 1+rng.IntN(12)
		if rng.IntN(4) == 0 {
			rows = least * (1 + rng.IntN(6))
		}
		each := 0
		c := &table.Column{}
		if rng.IntN(2) == 0 {
			each = least/8 + rng.IntN(least)
			c = table.NewStored("x", "double", table.Numeric, false,
				[]table.Part{inPages(rows/3, each, 100), inPages(rows-rows/3, each, 100)})
		}
		got := rowRanges(rows, n, c)
		if want := max(1, min(n, rows/least)); len(got) != want && each == 0 || len(got) > want {
			t.Fatalf("%d rows in %d ranges, asked for %d", rows, len(got), n)
		}
		from := 0
		for k, r := range got {
			if r[0] != from || r[1] <= r[0] || r[0]%StripeRows != 0 {
				t.Fatalf("%d rows in %v", rows, got)
			}
			from = r[1]
			if k == 0 || len(got) != n {
				continue
			}
			even, begins := rows/n*k, -1
			for _, p := range []int{0, rows / 3} { // of the parts
				end := rows / 3
				if p > 0 {
					end = rows
				}
				for s := p; each > 0 && s < end; s += each {
					if d := s - even; max(d, -d) <= rows/n/4 && (begins < 0 || max(d, -d) <= max(begins-even, even-begins)) {
						begins = s
					}
				}
			}
			if begins < 0 {
				begins = even
			}
			if r[0] != begins/StripeRows*StripeRows {
				t.Fatalf("range %d of %v begins at %d, not at %d: pages of %d rows", k, got, r[0], begins, each)
			}
		}
		if from != rows {
			t.Fatalf("%d rows end at %d", rows, from)
		}
	}
}

// stored is a part with values; those below 0 are nulls, those of size 10⁶ are inexact.
type stored []float64

func (p stored) Rows() int           { return len(p) }
func (p stored) Nullable() bool      { return true }
func (p stored) Pages() []table.Page { return nil }
func (p stored) Open(row int, _ *table.Buffers) (table.Values, error) {
	return &storedValues{part: p, row: row}, nil
}

type storedValues struct {
	table.Values
	part         stored
	row, inexact int
}

func (v *storedValues) Numbers(dst []float64, null []bool) (nulls int, err error) {
	for i := range dst {
		x := v.part[v.row]
		if v.row++; x < 0 {
			null[i], dst[i] = true, 0
			nulls++
			continue
		}
		if dst[i] = x; x >= 1e6 && v.inexact == 0 {
			v.inexact = v.row
		}
	}
	return nulls, nil
}

func (v *storedValues) Inexact() int { return v.inexact }
func (v *storedValues) Close()       {}

// Every value of the rows asked for is in one tile, as it is stored, with its null; and the
// first inexact one is found, over parts, ranges and sweeps.
func TestVisit_EveryValueOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const rows, columns = 3*16*StripeRows + 777, 4
	value := func(j, i int) float64 { return float64(j*rows+i) / 4 }
	var cols []*table.Column
	first := make([]int, columns)
	null := map[[2]int]bool{}
	for j := range columns {
		v := make([]float64, rows)
		for i := range v {
			if v[i] = value(j, i); rng.IntN(50) == 0 && i > StripeRows {
				v[i], null[[2]int{j, i}] = -1, true
			}
		}
		if j == 3 { // in memory
			n := make([]bool, rows)
			for i := range n {
				n[i] = null[[2]int{j, i}]
			}
			cols = append(cols, &table.Column{Kind: table.Numeric, Number: v, Null: n, InexactRow: 99})
			first[j] = 99
			continue
		}
		if j > 0 {
			for k := range j {
				at := rows/5 + k*rows/4 + j
				v[at], null[[2]int{j, at}] = 1e6+float64(k), false
			}
			first[j] = rows/5 + j + 1
		}
		var parts []table.Part
		for from := 0; from < rows; {
			to := min(rows, from+1+rng.IntN(rows/3))
			parts, from = append(parts, stored(v[from:to])), to
		}
		cols = append(cols, table.NewStored(fmt.Sprint(j), "double", table.Numeric, false, parts))
	}
	// text that is all null
	cols = append(cols, &table.Column{Kind: table.Categorical, Null: slices.Repeat([]bool{true}, rows)})
	first = append(first, 0)
	for _, whole := range []bool{false, true} {
		var mu sync.Mutex
		seen := make([]int, (columns+1)*rows)
		inexact, err := Visit(context.Background(), rows, cols, whole, func(k *Tile) error {
			mu.Lock()
			defer mu.Unlock()
			if k.First%StripeRows != 0 || k.Rows != min(StripeRows, rows-k.First) || whole && len(k.Number) != len(cols) {
				t.Errorf("a tile of %d columns, %d rows from %d", len(k.Number), k.Rows, k.First)
			}
			for c, v := range k.Number {
				j := k.Lo + c
				for i := range k.Rows {
					row := k.First + i
					seen[j*rows+row]++
					isNull := k.Null[c] != nil && k.Null[c][i]
					if isNull != (null[[2]int{j, row}] || j == columns) {
						t.Fatalf("row %d of column %d is null: %v", row, j, isNull)
					}
					if x := value(j, row); !isNull && v[i] != x && v[i] < 1e6 {
						t.Fatalf("row %d of column %d is %v, not %v", row, j, v[i], x)
					}
				}
				if k.First == 0 && j < columns && k.Null[c] != nil {
					t.Error("marks of nulls where there are none")
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("row %d of column %d is in %d tiles", i%rows, i/rows, n)
			}
		}
		if !slices.Equal(inexact, first) {
			t.Errorf("inexact rows %v, not %v", inexact, first)
		}
	}
	if got, err := Visit(context.Background(), 0, cols[3:4], false, nil); err != nil || !slices.Equal(got, []int{99}) {
		t.Errorf("%v, %v of no rows", got, err)
	}
	if got, err := Visit(context.Background(), rows, nil, false, nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v of no columns", got, err)
	}
	tiles := 0
	if _, err := Visit(context.Background(), 3*StripeRows, nil, true, func(*Tile) error {
		tiles++
		return nil
	}); err != nil || tiles != 3 {
		t.Errorf("%d tiles without columns, %v", tiles, err)
	}
	stop := errors.New("stop")
	if _, err := Visit(context.Background(), rows, cols, false, func(*Tile) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v where use failed", err)
	}
}
