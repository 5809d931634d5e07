package csv

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A text is a file as decompressed UTF-8 with lines that end in \n. It is read as a stream, twice, and never
// held as a whole.
type text struct {
	src    table.Source
	packed string            // gzip, bzip2 or nothing
	bom    int               // bytes of a byte-order mark
	from   encoding.Encoding // nil for UTF-8
	cr     bool              // lines end in \r alone
	spaced bool              // spaces separate the fields
	sep    rune              // what a first line "sep=;" names, 0 without one
	skip   int               // bytes of that line
	head   []byte            // its beginning
}

// headBytes is the number of bytes that are examined to detect the format.
const headBytes = 64 << 10

// newText examines the beginning of a file.
func newText(src table.Source) (*text, error) {
	t := &text{src: src}
	magic := make([]byte, min(3, src.Size()))
	if err := table.ReadFull(src, magic, 0); err != nil {
		return nil, err
	}
	name := strings.ToLower(src.Name())
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		t.packed = "gzip"
	case bytes.HasPrefix(magic, []byte("BZh")) && strings.HasSuffix(name, ".bz2"):
		t.packed = "bzip2"
	}
	for end, what := range map[string]string{".gz": "gzip", ".bz2": "bzip2"} {
		if t.packed != what && strings.HasSuffix(name, end) {
			return nil, &table.Error{Msg: "not a " + what + " file", Hint: "rename it without " + end + " if it is plain text"}
		}
	}
	for _, find := range []func(){t.findByteOrderMark, t.findLineEnd, t.findSeparatorLine} {
		if err := t.readHead(); err != nil {
			return nil, err
		}
		find()
	}
	return t, t.readHead()
}

// readHead reads the first bytes.
func (t *text) readHead() error {
	r, err := t.open()
	if err != nil {
		return err
	}
	if t.head, err = io.ReadAll(io.LimitReader(r, headBytes)); err != nil {
		return t.damagedError(err)
	}
	return nil
}

// findByteOrderMark sets the encoding by the mark at the beginning.
func (t *text) findByteOrderMark() {
	switch {
	case bytes.HasPrefix(t.head, []byte("\xef\xbb\xbf")):
		t.bom = 3
	case bytes.HasPrefix(t.head, []byte{0xff, 0xfe}):
		t.bom, t.from = 2, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(t.head, []byte{0xfe, 0xff}):
		t.bom, t.from = 2, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
}

// findLineEnd sets cr if the first line, outside quotes, ends in \r alone.
func (t *text) findLineEnd() {
	h := removeQuoted(t.head)
	i := bytes.IndexAny(h, "\r\n")
	t.cr = i >= 0 && i+1 < len(h) && h[i] == '\r' && h[i+1] != '\n'
}

// findSeparatorLine interprets a first line "sep=;", as written by Excel.
func (t *text) findSeparatorLine() {
	line, _, ok := bytes.Cut(t.head, []byte("\n"))
	mark, named := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(line, "\r")), []byte("sep="))
	if ok && named && len(mark) == 1 && mark[0] != '"' {
		t.sep, t.skip = rune(mark[0]), len(line)+1
	}
}

// removeQuoted returns a text without what is between quotes.
func removeQuoted(text []byte) (out []byte) {
	for i, part := range bytes.Split(text, []byte{'"'}) {
		if i%2 == 0 {
			out = append(out, part...)
		} else {
			out = append(out, '"', '"')
		}
	}
	return out
}

// Unpacked returns the name of a file in lower case without the extension of its compression.
func Unpacked(name string) string {
	name = strings.ToLower(name)
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2")
}

// open returns a reader of the text.
func (t *text) open() (io.Reader, error) {
	var r io.Reader = bufio.NewReaderSize(&stream{src: t.src}, 1<<18)
	switch t.packed {
	case "bzip2":
		r = bzip2.NewReader(r)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, t.damagedError(err)
		}
		r = z
	}
	if _, err := io.CopyN(io.Discard, r, int64(t.bom)); err != nil {
		return nil, t.damagedError(err)
	}
	if t.from != nil {
		r = t.from.NewDecoder().Reader(r)
	}
	if t.cr {
		r = lineEnds{r}
	}
	if _, err := io.CopyN(io.Discard, r, int64(t.skip)); err != nil {
		return nil, t.damagedError(err)
	}
	if t.spaced {
		r = &spaces{r: r}
	}
	return r, nil
}

// damagedError converts an error of decompression; an error of the source is kept.
func (t *text) damagedError(err error) error {
	var own *table.Error
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return table.Damaged("the %s data ends early; the file may be truncated", t.packed)
	}
	return table.Damaged("%s: %v", t.packed, err)
}

// A stream reads a source from its beginning to its end.
type stream struct {
	src table.Source
	at  int64
}

func (s *stream) Read(p []byte) (int, error) {
	p = p[:min(int64(len(p)), s.src.Size()-s.at)]
	if len(p) == 0 {
		return 0, io.EOF
	}
	if err := table.ReadFull(s.src, p, s.at); err != nil {
		return 0, err
	}
	s.at += int64(len(p))
	return len(p), nil
}

// lineEnds replaces \r by \n.
type lineEnds struct{ r io.Reader }

func (l lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// isLatin reports whether bytes may be Windows-1252: none of them is a control character.
func isLatin(s string) bool {
	for _, b := range []byte(s) {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r', b == 0x7f, b == 0x81, b == 0x8d, b == 0x8f, b == 0x90, b == 0x9d:
			return false
		}
	}
	return true
}
