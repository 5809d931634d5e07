package show

import (
	"io"
	"math"
	"strings"
	"testing"
)

// Text that is written in pieces is escaped as if it were written at once.
func TestPlainWriter_WritesPiecesAsOneText(t *testing.T) {
	const in = "é\u202e\U000e0001 日本\x1b\xffz\tb\n"
	const want = "é\\u202e\\udb40\\udc01 日本\\u001b\uFFFDz\tb\n"
	for size := 1; size <= len(in); size++ {
		var b strings.Builder
		p := NewPlain(&b)
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			if m, err := p.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if p.Flush(); b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
	var b strings.Builder
	p := NewPlain(&b)
	p.Write([]byte("a\xe6\x97"))
	if p.Flush(); b.String() != "a\uFFFD" {
		t.Errorf("an unfinished character: %q", b.String())
	}
}

// Text is bold only on a terminal, and escape sequences in the text are escaped there too.
func TestWriteBold_OnlyOnATerminal(t *testing.T) {
	for styled, want := range map[bool]string{false: "a\\u001b[31m", true: "\x1b[1ma\\u001b[31m\x1b[0m"} {
		var b strings.Builder
		p := NewPlain(&b)
		p.Styled = styled
		WriteBold(p, func() { _, _ = io.WriteString(p, "a\x1b[31m") })
		if b.String() != want {
			t.Errorf("styled %v: %q, want %q", styled, b.String(), want)
		}
	}
}

func TestWholeOrShort_KeepsCodes(t *testing.T) {
	for v, want := range map[float64]string{20240131: "20240131", -1234567: "-1234567", 0: "0", 0.5: "0.5",
		1234567.5: "1.23457e+06", 9007199254740992: "9.0072e+15", math.Inf(1): "+Inf"} {
		if got := wholeOrShort(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}
