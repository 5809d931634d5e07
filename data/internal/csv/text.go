package csv

import (
	"bytes"
	"io"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/text"
)

// A textFile is a text file with the properties that matter for CSV.
type textFile struct {
	*text.File
	spaced bool // whether fields are separated by spaces
	sep    rune // separator stated in a first line "sep=;", or 0
	skip   int  // number of bytes of that line
}

// newTextFile examines the beginning of a file.
func newTextFile(src intake.Source) (*textFile, error) {
	f, err := text.Examine(src)
	if err != nil {
		return nil, err
	}
	t := &textFile{File: f}
	t.findSeparatorLine()
	return t, nil
}

// findSeparatorLine interprets a first line such as "sep=;", which Excel writes.
func (t *textFile) findSeparatorLine() {
	line, _, ok := bytes.Cut(t.Head, []byte("\n"))
	mark, named := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(line, "\r")), []byte("sep="))
	if ok && named && len(mark) == 1 && mark[0] != '"' {
		t.sep, t.skip = rune(mark[0]), len(line)+1
		t.Head = t.Head[t.skip:]
	}
}

// Open returns a reader of the text that follows the line with the separator.
func (t *textFile) Open() (io.Reader, error) {
	r, err := t.File.Open()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, int64(t.skip)); err != nil {
		return nil, t.DamagedError(err)
	}
	if t.spaced {
		r = &spaces{r: r}
	}
	return r, nil
}

// isLatin reports whether bytes may be text in Windows-1252: none of them is a control character.
func isLatin(s string) bool {
	for _, b := range []byte(s) {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r', b == 0x7f, b == 0x81, b == 0x8d, b == 0x8f, b == 0x90, b == 0x9d:
			return false
		}
	}
	return true
}
