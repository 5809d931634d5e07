package matrix

import (
	"math"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/data/table"
)

// A Number is a numeric column of the design matrix: (v − Shift)/Scale for the values v of a column, with nulls
// replaced by Fill.
type Number struct {
	Column             *table.Column
	Fill, Shift, Scale float64
	First              int // index of the matrix column

	mu     sync.Mutex
	faults [2]Faults // faults of each set
	narrow bool      // whether the matrix stores float32
}

// NewNumber returns a numeric column of the design matrix without reading values.
func NewNumber(c *table.Column, first int, fill, shift, scale float64) *Number {
	return &Number{Column: c, First: first, Fill: fill, Shift: shift, Scale: scale,
		faults: [2]Faults{NoFaults(), NoFaults()}}
}

// Faults counts the values of a numeric column that cannot be encoded, and holds the first row of each kind, or −1.
type Faults struct {
	Nulls, NullRow int     // number of nulls, and the first row with a null
	NotFiniteRow   int     // first row whose value is not finite
	Value          float64 // the value in this row
	OverflowRow    int     // first row whose value is finite, but whose encoded value is not
	OverflowValue  float64 // the value in this row
	FitsFloat64    bool    // the encoded value in row OverflowRow is finite as a float64
}

// NoFaults returns empty Faults.
func NoFaults() Faults { return Faults{NullRow: -1, NotFiniteRow: -1, OverflowRow: -1} }

// isEarlier reports whether a row precedes a known row; −1 means no known row.
func isEarlier(row, known int) bool { return row >= 0 && (known < 0 || row < known) }

// Add merges faults of other rows, in any order.
func (f *Faults) Add(o Faults) {
	f.Nulls += o.Nulls
	if isEarlier(o.NullRow, f.NullRow) {
		f.NullRow = o.NullRow
	}
	if isEarlier(o.NotFiniteRow, f.NotFiniteRow) {
		f.NotFiniteRow, f.Value = o.NotFiniteRow, o.Value
	}
	if isEarlier(o.OverflowRow, f.OverflowRow) {
		f.OverflowRow, f.OverflowValue, f.FitsFloat64 = o.OverflowRow, o.OverflowValue, o.FitsFloat64
	}
}

// Shift adds first to the row numbers.
func (f *Faults) Shift(first int) {
	for _, row := range []*int{&f.NullRow, &f.NotFiniteRow, &f.OverflowRow} {
		if *row >= 0 {
			*row += first
		}
	}
}

// Faults returns the faults of set s.
func (x *Number) Faults(s int) Faults { return x.faults[s] }

// encodeTile returns the encoded values of column j of a tile, and records faults.
func (x *Number) encodeTile(d *Partition, t *Tile, j int) []float64 {
	number, null := t.Number[j], t.Null[j]
	for len(t.coded) <= j {
		t.coded = append(t.coded, nil)
	}
	out := Resize(t.coded[j], t.Rows)
	t.coded[j] = out
	shift, scale := x.Shift, x.Scale
	sum := 0.0
	for i, v := range number {
		if null != nil && null[i] {
			v = x.Fill
		}
		v = (v - shift) / scale
		out[i] = v
		sum += v - v
	}
	if null == nil && sum == 0 && !(x.narrow && slices.ContainsFunc(out, x.overflows)) {
		return out
	}
	for s := range d.Sets {
		f := NoFaults()
		for _, i := range t.RowsOf[s] {
			row, v := t.First+int(i), number[i]
			switch {
			case null != nil && null[i]:
				if f.Nulls++; f.NullRow < 0 {
					f.NullRow = row
				}
			case !x.overflows(out[i]):
			case v-v != 0:
				f.Add(Faults{NullRow: -1, NotFiniteRow: row, Value: v, OverflowRow: -1})
			default:
				f.Add(Faults{NullRow: -1, NotFiniteRow: -1, OverflowRow: row, OverflowValue: v,
					FitsFloat64: out[i]-out[i] == 0})
			}
		}
		x.mu.Lock()
		x.faults[s].Add(f)
		x.mu.Unlock()
	}
	return out
}

// overflows reports whether an encoded value is not finite in the element type of the storage.
func (x *Number) overflows(z float64) bool {
	return z-z != 0 || x.narrow && math.IsInf(float64(float32(z)), 0)
}
