// Package text opens text files. It decompresses gzip and bzip2, removes a byte-order mark, decodes UTF-16 and
// replaces line ends of \r alone by \n. The readers of text formats, such as csv and libsvm, use it.
package text

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// A File is a text file as decompressed lines that end in \n or \r\n. It is read as a stream, which can be opened
// repeatedly, and is never in memory as a whole.
type File struct {
	Source intake.Source
	Mark   int               // size in bytes of the byte-order mark, or 0
	From   encoding.Encoding // encoding of the text; nil for UTF-8
	Head   []byte            // first bytes of the text
	Whole  bool              // whether Head is the whole text

	packed string  // "gzip", "bzip2" or ""
	cr     bool    // lines end in \r alone
	reads  *stream // stream of the last Open
}

// headBytes is the number of bytes at the beginning of a file that are examined to detect its format.
const headBytes = 64 << 10

// Examine returns the text of a file after examining the beginning of the file.
func Examine(src intake.Source) (*File, error) {
	t := &File{Source: src}
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
	for _, find := range []func(){t.findByteOrderMark, t.findLineEnd} {
		if err := t.readFirstBytes(); err != nil {
			return nil, err
		}
		find()
	}
	return t, t.readFirstBytes()
}

// readFirstBytes reads up to headBytes from the beginning of the file to detect its format.
func (t *File) readFirstBytes() error {
	r, err := t.Open()
	if err != nil {
		return err
	}
	if t.Head, err = io.ReadAll(io.LimitReader(r, headBytes)); err != nil {
		return t.DamagedError(err)
	}
	t.Whole = len(t.Head) < headBytes
	return nil
}

// findByteOrderMark sets the encoding according to the byte-order mark.
func (t *File) findByteOrderMark() {
	switch {
	case bytes.HasPrefix(t.Head, []byte("\xef\xbb\xbf")):
		t.Mark = 3
	case bytes.HasPrefix(t.Head, []byte{0xff, 0xfe}):
		t.Mark, t.From = 2, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(t.Head, []byte{0xfe, 0xff}):
		t.Mark, t.From = 2, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
}

// findLineEnd sets cr if the first line ends in \r without \n, ignoring quoted text.
func (t *File) findLineEnd() {
	h := RemoveQuoted(t.Head)
	i := bytes.IndexAny(h, "\r\n")
	t.cr = i >= 0 && i+1 < len(h) && h[i] == '\r' && h[i+1] != '\n'
}

// RemoveQuoted returns a text in which nothing is left of its quoted parts but the quotes.
func RemoveQuoted(text []byte) (out []byte) {
	for i, part := range bytes.Split(text, []byte{'"'}) {
		if i%2 == 0 {
			out = append(out, part...)
		} else {
			out = append(out, '"', '"')
		}
	}
	return out
}

// TrimCompression returns the name of a file in lower case, without the extension .gz or .bz2.
func TrimCompression(name string) string {
	name = strings.ToLower(name)
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2")
}

// Open returns a reader of the text from its beginning.
func (t *File) Open() (io.Reader, error) {
	t.reads = &stream{src: t.Source}
	buffer := 1 << 18
	if size := t.Source.Size(); size > 0 && size < int64(buffer) {
		buffer = int(size) // a smaller table needs no more
	}
	var r io.Reader = bufio.NewReaderSize(t.reads, buffer)
	switch t.packed {
	case "bzip2":
		r = bzip2.NewReader(r)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, t.DamagedError(err)
		}
		r = z
	}
	if _, err := io.CopyN(io.Discard, r, int64(t.Mark)); err != nil {
		return nil, t.DamagedError(err)
	}
	if t.From != nil {
		r = t.From.NewDecoder().Reader(r)
	}
	if t.cr {
		r = lineEnds{r}
	}
	return r, nil
}

// Extrapolate extrapolates a count n for the part of the file read since the last Open to the whole file. The result is
// at least n.
func (t *File) Extrapolate(n int64) int64 {
	if t.reads == nil || t.reads.at == 0 {
		return n
	}
	return max(n, int64(float64(n)*float64(t.Source.Size())/float64(t.reads.at)))
}

// DamagedError converts an error of decompression to one about a damaged file; an error of the source is unchanged.
func (t *File) DamagedError(err error) error {
	var own *table.Error
	switch {
	case errors.As(err, &own):
		return err
	case t.packed != "" && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return table.Damaged("the %s data end early; the file may be truncated", t.packed)
	}
	return table.Damaged("%v", err) // errors of packages gzip and bzip2 name the format
}

// A stream reads a source from its beginning to its end.
type stream struct {
	src intake.Source
	at  int64
}

// Read implements io.Reader.
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

// Read implements io.Reader.
func (l lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
