package printable

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func ExampleEscapeLine() {
	fmt.Println(EscapeLine("income\x1b[2J\u202eelbat\n"))
	fmt.Println(EscapeLine("straße, 収入, नाम"))
	// Output:
	// income\u001b[2J\u202eelbat\u000a
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

func TestText_BrokenUTF8(t *testing.T) {
	if got := EscapeLine("a\xff\xc3"); got != `a\xff\xc3` {
		t.Errorf("%q", got)
	}
	if got := EscapeText("a\n\tb\r"); got != "a\n\tb\\u000d" {
		t.Errorf("%q", got)
	}
}

// Hidden are controls, separators of lines, what sets the direction, what is no character, surrogates, tags, and
// three characters without a width that no script needs; not the joiners.
func TestIsHidden_NamesInvisibleCharacters(t *testing.T) {
	for _, r := range []rune{0, '\n', 0x1b, 0x7f, 0x9f, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
		0x202e, 0x2066, 0x2069, 0xd800, 0xfdd0, 0xfeff, 0xffff, 0x1fffe, 0xe0001, 0xe007f, 0x10ffff} {
		if !IsHidden(r) {
			t.Errorf("%U is not hidden", r)
		}
	}
	for _, r := range []rune{' ', '~', 0xa0, 'é', 0x200c, 0x200d, 0x2010, 0x202f, 0x2070, 0xfffd, '日', 0x1f600} {
		if IsHidden(r) {
			t.Errorf("%U is hidden", r)
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

func TestShorten_Cases(t *testing.T) {
	if got := ShortenMiddle("12345678", 8); got != "12345678" {
		t.Error(got)
	}
	if got := ShortenMiddle("123456789", 8); got != "123456… (1 bytes) …89" {
		t.Error(got)
	}
	long := strings.Repeat("é", 1000)
	if got := ShortenMiddle(long, 101); len(got) > 150 || !utf8.ValidString(got) || !strings.HasPrefix(got, "éé") ||
		!strings.HasSuffix(got, "éé") {
		t.Error(got)
	}
}
