package intake

import (
	"errors"
	"io/fs"
	"math"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// An error says where, what and what to do, each where it is known, and is of its class and
// its cause.
func TestError_Text(t *testing.T) {
	for want, e := range map[string]*table.Error{
		`t.csv: column "a", row 7: odd (mend it)`: {Path: "t.csv", Column: "a", Row: 7, Msg: "odd", Hint: "mend it"},
		`column "a": odd`:                         {Column: "a", Msg: "odd"},
		`row 1: odd`:                              {Row: 1, Msg: "odd"},
		`odd`:                                     {Msg: "odd"},
		`t.csv: there is no column "b"`: {Path: "t.csv", Column: "b", Msg: `there is no column "b"`,
			Class: table.ErrNoColumn},
		`cannot read: file does not exist`:               {Msg: "cannot read", Err: fs.ErrNotExist},
		`file does not exist`:                            {Err: fs.ErrNotExist},
		`odd (this, or ` + string(fix.NameMissing) + `)`: {Msg: "odd", Hint: "this", Fixes: []fix.Fix{fix.NameMissing}},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if e.Err != nil && !errors.Is(e, fs.ErrNotExist) || errors.Is(e,
			table.ErrNoColumn) != (e.Class == table.ErrNoColumn) ||
			errors.Is(e, table.ErrDamaged) {
			t.Errorf("%v is not of its class or cause", e)
		}
	}
	e := &table.Error{Msg: "odd", Hint: "this", Fixes: []fix.Fix{fix.NameMissing, fix.SayDates}}
	if got := e.Advice(func(r fix.Fix) string {
		return map[fix.Fix]string{fix.SayDates: "--dates"}[r]
	}); got != "this, or "+string(fix.NameMissing)+", or --dates" {
		t.Errorf("advice %q", got)
	}
}

// Numbers of 16 bits go from 0 in steps that double with the exponent, to the largest, and so
// below 0; behind these are the infinities, and what is no number.
func TestHalf_EveryValueReadsBack(t *testing.T) {
	if numeral.HalfToFloat(0) != 0 || numeral.HalfToFloat(0x3c00) != 1 || numeral.HalfToFloat(0x7bff) != 65504 ||
		!math.IsInf(numeral.HalfToFloat(0x7c00), 1) || !math.IsInf(numeral.HalfToFloat(0xfc00), -1) {
		t.Errorf("%v, %v, %v, %v, %v", numeral.HalfToFloat(0), numeral.HalfToFloat(0x3c00), numeral.HalfToFloat(0x7bff),
			numeral.HalfToFloat(0x7c00),
			numeral.HalfToFloat(0xfc00))
	}
	for b := uint16(0); b < 0x7bff; b++ {
		if step := math.Ldexp(1, max(int(b>>10), 1)-25); numeral.HalfToFloat(b+1)-numeral.HalfToFloat(b) != step ||
			numeral.HalfToFloat(b|0x8000) != -numeral.HalfToFloat(b) {
			t.Fatalf("%#x is %v, the next one %v, and below 0 %v", b, numeral.HalfToFloat(b), numeral.HalfToFloat(b+1),
				numeral.HalfToFloat(b|0x8000))
		}
	}
	for b := uint16(0x7c01); b < 0x8000; b++ {
		if !math.IsNaN(numeral.HalfToFloat(b)) || !math.IsNaN(numeral.HalfToFloat(b|0x8000)) {
			t.Fatalf("%#x is %v", b, numeral.HalfToFloat(b))
		}
	}
}
