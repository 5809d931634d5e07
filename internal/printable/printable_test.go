package printable

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func ExampleEscapeLine() {
	fmt.Println(EscapeLine("income\x1b[2J\u202eelbat\n"))
	fmt.Println(EscapeLine("straße, 収入, नाम"))
	// Output:
	// income\x1b[2J\u202eelbat\x0a
	// straße, 収入, नाम
}

// Every character makes a well-formed document, once escaped for XML, and none
// of those that are hidden is left.
func TestEscape_EveryCharacter(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= 0x10ffff; r++ {
		s := EscapeLine("a" + string(r) + "b")
		if s != "a"+string(r)+"b" {
			for _, c := range s {
				if c < 0x20 || c > 0x7e {
					t.Fatalf("%U becomes %q", r, s)
				}
			}
			continue
		}
		all.WriteString(s)
	}
	var doc strings.Builder
	doc.WriteString("<t>")
	if err := xml.EscapeText(&doc, []byte(all.String())); err != nil {
		t.Fatal(err)
	}
	doc.WriteString("</t>")
	if strings.Contains(doc.String(), "\ufffd\ufffd") {
		t.Error("the XML writer had to replace characters")
	}
	d := xml.NewDecoder(strings.NewReader(doc.String()))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBrokenUTF8(t *testing.T) {
	if got := EscapeLine("a\xff\xc3"); got != `a\xff\xc3` {
		t.Errorf("%q", got)
	}
	if got := EscapeText("a\n\tb\r"); got != "a\n\tb\\x0d" {
		t.Errorf("%q", got)
	}
}

// Hidden are what Unicode's own tables call so: controls, separators of lines, what sets
// the direction, what is no character, surrogates and tags; and three without a width that
// no script needs.
func TestIsHidden_UnicodeTables(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Bidi_Control, unicode.Noncharacter_Code_Point) ||
			r >= 0xe0000 && r <= 0xe007f || r == 0x00ad || r == 0x200b || r == 0xfeff
		if got := IsHidden(r); got != want {
			t.Fatalf("%U is hidden: %v", r, got)
		}
	}
}

func TestCell_Formulas(t *testing.T) {
	for s, want := range map[string]string{
		"=1+1": "'=1+1", "+A1": "'+A1", "-A1": "'-A1", "@SUM": "'@SUM", "＝1": "'＝1", "\t=1": "'\t'=1", "\nx": "'\nx",
		"a;=1": "a;'=1", ";=1;-x": ";'=1;'-x", "a\r\n=1": "a\r\n'=1",
		"-1": "-1", "+2.5e3": "+2.5e3", "a=1": "a=1", "a-b;c": "a-b;c", "": "", "\xff-": "\xff-", "=\xff": "'=\xff",
	} {
		if got := EscapeCell(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	if got := Shorten("12345678", 8); got != "12345678" {
		t.Error(got)
	}
	if got := Shorten("123456789", 8); got != "123456… (1 bytes) …89" {
		t.Error(got)
	}
	long := strings.Repeat("é", 1000)
	if got := Shorten(long, 101); len(got) > 150 || !utf8.ValidString(got) || !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "éé") {
		t.Error(got)
	}
}
