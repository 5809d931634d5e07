package intake

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A column in parts of a file is the column in memory: loaded, cut, at some rows
// and digit for digit.
func TestColumn_StoredEqualsMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	ctx := context.Background()
	for trial := range 120 {
		n := 1 + rng.IntN(60)
		memory := &table.Column{Name: "c", Type: "double", Kind: table.Numeric}
		switch trial % 3 {
		case 0:
			for range n {
				memory.Number = append(memory.Number, float64(rng.IntN(9)))
			}
		case 1:
			memory.Kind, memory.Type = table.Categorical, "string"
			levels := table.NewLevels()
			for range n {
				memory.Code = append(memory.Code, levels.Code(string(rune('a'+rng.IntN(5)))))
			}
			memory.Level = levels.Text
		default:
			memory.Type, memory.Integer = "int64", true
			for range n {
				v := rng.Int64()>>uint(rng.IntN(20)) - 1<<40
				memory.Int, memory.Number = append(memory.Int, v), append(memory.Number, float64(v))
			}
		}
		if trial%3 < 2 && trial%2 == 0 {
			memory.Null = make([]bool, n)
			for i := range memory.Null {
				if memory.Null[i] = rng.IntN(4) == 0; memory.Null[i] && memory.Kind == table.Categorical {
					memory.Code[i] = -1
				} else if memory.Null[i] {
					memory.Number[i] = 0
				}
			}
		}
		file := *memory // as it is stored
		if memory.Int != nil {
			file.Type, file.Number = table.ExactType{Form: table.SignedForm}.AsBits(), make([]float64, n)
			for i, v := range memory.Int {
				file.Number[i] = math.Float64frombits(uint64(v))
			}
		}
		var parts []table.Part
		for from := 0; from < n; {
			to := min(n, from+1+rng.IntN(n))
			piece := file.Slice(from, to)
			if piece.Kind == table.Categorical && rng.IntN(2) == 0 { // levels of its own, in another order
				piece.Level = append(slices.Clone(piece.Level), "none")
				slices.Reverse(piece.Level)
				piece.Code = slices.Clone(piece.Code)
				for i, k := range piece.Code {
					if k >= 0 {
						piece.Code[i] = int32(len(piece.Level)-1) - k
					}
				}
			}
			parts = append(parts, resident{to - from, piece})
			from = to
		}
		stored := table.NewStored("c", file.Type, memory.Kind, memory.Integer, parts)
		same := func(what string, got *table.Column, err error, rows []int, text func(i int) string) *table.Column {
			t.Helper()
			if err != nil {
				t.Fatalf("trial %d, %s: %v", trial, what, err)
			}
			if got.IsStored() || got.Len() != len(rows) {
				t.Fatalf("trial %d, %s: %d rows, stored %v", trial, what, got.Len(), got.IsStored())
			}
			nulls := 0
			for k, i := range rows {
				if got.IsNull(k) != memory.IsNull(i) || !memory.IsNull(i) && got.Text(k) != text(i) {
					t.Fatalf("trial %d, %s, row %d: %q, not %q", trial, what, k, got.Text(k), text(i))
				}
				if got.IsNull(k) {
					if nulls++; got.Kind == table.Categorical && got.Code[k] != -1 {
						t.Fatalf("trial %d, %s, row %d: code %d of a null", trial, what, k, got.Code[k])
					}
				}
			}
			if got.Nulls() != nulls || got.IsAllNull() != (nulls == len(rows) && nulls > 0) {
				t.Fatalf("trial %d, %s: %d nulls, all %v; there are %d of %d", trial, what, got.Nulls(), got.IsAllNull(), nulls,
					len(rows))
			}
			return got
		}
		number := func(i int) string { // as a float64 has it
			if memory.Kind == table.Categorical {
				return memory.Text(i)
			}
			return numeral.FormatNumber(file.Number[i])
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		got, err := stored.Load(ctx)
		got = same("loaded", got, err, all, number)
		if got.InexactRow != memory.InexactRow || got.Nulls() == 0 && got.Null != nil {
			t.Fatalf("trial %d: inexact in row %d, not %d; nulls %v", trial, got.InexactRow, memory.InexactRow, got.Null)
		}
		lo := rng.IntN(n)
		hi := lo + 1 + rng.IntN(n-lo)
		got, err = stored.Slice(lo, hi).Load(ctx)
		same("cut", got, err, all[lo:hi], number)
		got, err = memory.Slice(lo, hi).Load(ctx)
		same("cut in memory", got, err, all[lo:hi], memory.Text)
		for row := 0; row <= n; row++ { // what is said of one row is said of the slice that has it, and of no other
			told := *memory
			told.InexactRow, told.UnexpectedRow, told.Unexpected = row, row, "n/a"
			part := told.Slice(lo, hi)
			want := table.Column{}
			if row > lo && row <= hi {
				want = table.Column{InexactRow: row - lo, UnexpectedRow: row - lo, Unexpected: "n/a"}
			}
			if part.InexactRow != want.InexactRow || part.UnexpectedRow != want.UnexpectedRow ||
				part.Unexpected != want.Unexpected {
				t.Fatalf("trial %d: of row %d, [%d, %d) says row %d is inexact, %d strays (%q)", trial, row, lo, hi,
					part.InexactRow, part.UnexpectedRow, part.Unexpected)
			}
		}
		if memory.Int != nil {
			got, err = stored.Slice(lo, hi).LoadInts(ctx)
			same("digit for digit", got, err, all[lo:hi], func(i int) string { return strconv.FormatInt(memory.Int[i], 10) })
			if first := 1 + slices.IndexFunc(memory.Int[lo:hi], func(
				v int64) bool {
				return !numeral.IsExactInt64(v)
			}); got.InexactRow != first || got.Type != "int64" {
				t.Fatalf("trial %d: %s, inexact in row %d of [%d, %d), not %d", trial, got.Type, got.InexactRow, lo, hi, first)
			}
		}
		var some []int
		for i := range n {
			if rng.IntN(3) == 0 {
				some = append(some, i)
			}
		}
		for what, c := range map[string]*table.Column{"at rows": stored, "at rows in memory": &file} {
			got, err := c.LoadAt(ctx, nil, some)
			same(what, got, err, some, number)
		}
	}
}

// Decimals are the nearest numbers, and are said to be exact where their digits fit.
func TestBigDecimal_Nearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for range 2000 {
		b := make([]byte, 1+rng.IntN(14))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if rng.IntN(4) == 0 {
			b = append(b, make([]byte, rng.IntN(6))...) // digits that end in zeros
		}
		scale := int32(rng.IntN(30))
		n := new(big.Int).SetBytes(b)
		if b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		want, err := strconv.ParseFloat(fmt.Sprintf("%se-%d", n, scale), 64)
		if err != nil {
			t.Fatal(err)
		}
		odd := new(big.Int).Abs(n)
		if n.Sign() != 0 {
			odd.Rsh(odd, odd.TrailingZeroBits())
		}
		if got, exact := numeral.BigDecimal(b, scale); got != want || exact != (odd.BitLen() <= 53) {
			t.Fatalf("%x at scale %d: %v, exact %v; want %v of %d bits", b, scale, got, exact, want, odd.BitLen())
		}
	}
	if v, exact := numeral.BigDecimal(nil, 3); v != 0 || !exact {
		t.Errorf("%v of no bytes", v)
	}
	for v, want := range map[int64]bool{0: true, 1 << 53: true, 1<<53 + 1: false, 1<<53 + 2: true, math.MinInt64: true,
		math.MaxInt64: false, -1<<53 - 1: false} {
		if numeral.IsExactInt64(v) != want {
			t.Errorf("%d is exact: %v", v, !want)
		}
	}
}
