// Package npy reads NumPy arrays from .npy files and .npz archives. A two-dimensional array is a column of vectors;
// a one-dimensional array is a column of numbers, bools or strings. Pickled Python objects are rejected, since
// unpickling can run arbitrary code.
package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/limit"
)

// Magic is the magic number of .npy files.
const Magic = "\x93NUMPY"

// VectorName is the name of the column of vectors in a .npy file.
const VectorName = "x"

const (
	maxHeader  = 1 << 16  // maximum size in bytes of a header; NumPy writes 128
	maxArrays  = 10_000   // maximum number of arrays in an archive
	maxTextLen = 1 << 16  // maximum size in bytes of a text of fixed width
	inMemory   = 64 << 20 // maximum size in bytes of an array that is decompressed into memory
)

// Read returns the table of an array. Its numbers stay in the file; its texts are read.
func Read(in intake.Source) (*intake.Table, error) {
	name := path.Base(strings.ReplaceAll(in.Name(), `\`, "/"))
	h, err := headerOf(in, in.Size())
	if err != nil {
		return nil, err
	}
	if len(h.shape) == 2 {
		name = VectorName
	}
	return h.readTable(in, strings.TrimSuffix(name, ".npy"))
}

// ReadArchive returns the table of the arrays of an .npz file, which must have the same number of rows, or of a sparse
// matrix of scipy.
func ReadArchive(ctx context.Context, in intake.Source) (*intake.Table, error) {
	z, err := zip.NewReader(in, in.Size())
	if err != nil {
		return nil, table.Damaged("the archive cannot be read: %v", err)
	}
	if len(z.File) > maxArrays {
		return nil, &table.Error{Msg: fmt.Sprintf("the archive has %d files; at most %d are allowed", len(z.File), maxArrays)}
	}
	if arrays := arraysOfArchive(z); isSparse(arrays) {
		return readSparse(ctx, in, arrays)
	}
	out := &intake.Table{}
	first := ""
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, is := strings.CutSuffix(f.Name, ".npy")
		if !is {
			return nil, &table.Error{Msg: fmt.Sprintf("the archive holds %q, which is not an array", f.Name),
				Hint: "write the archive with numpy.savez"}
		}
		if !utf8.ValidString(name) || name == "" {
			return nil, table.Damaged("the name of an array is not UTF-8 text: %q", name)
		}
		body, size, err := bodyOf(ctx, in, f)
		if err != nil {
			return nil, intake.InColumn(name, err)
		}
		h, err := headerOf(body, size)
		if err != nil {
			return nil, intake.InColumn(name, err)
		}
		t, err := h.readTable(body, name)
		if err != nil {
			return nil, err
		}
		if first == "" {
			first, out.Rows = name, t.Rows
		}
		if t.Rows != out.Rows {
			return nil, intake.InColumn(name, &table.Error{Msg: fmt.Sprintf("the array has %d rows, but %q has %d", t.Rows,
				first,
				out.Rows), Hint: "all arrays of an archive need the same number of rows"})
		}
		out.Columns = append(out.Columns, t.Columns...)
	}
	if first == "" {
		return nil, &table.Error{Msg: "the archive holds no array"}
	}
	seen := map[string]bool{}
	for _, c := range out.Columns {
		if seen[c.Name] {
			return nil, intake.InColumn(c.Name, &table.Error{Msg: "two columns have this name"})
		}
		seen[c.Name] = true
	}
	return out, nil
}

// bodyOf returns the content of a file in an archive, after comparing its checksum. It is read in place if it is not
// compressed, and otherwise decompressed into memory or, if it is large, into an unnamed file.
func bodyOf(ctx context.Context, in intake.Source, f *zip.File) (io.ReaderAt, int64, error) {
	size := int64(f.UncompressedSize64)
	if size < 0 || size > intake.MaxCells(in.Size()) {
		return nil, 0, table.Damaged("the array claims an impossible size of %d bytes", f.UncompressedSize64)
	}
	if f.Method == zip.Store {
		at, err := f.DataOffset()
		if err != nil || at+size > in.Size() {
			return nil, 0, table.Damaged("the position of the array lies outside the archive")
		}
		body := io.NewSectionReader(in, at, size)
		return body, size, checkStored(ctx, body, size, f.CRC32)
	}
	r, err := f.Open()
	if err != nil {
		return nil, 0, table.Damaged("the array cannot be decompressed: %v", err)
	}
	defer r.Close()
	bounded := io.LimitReader(r, size+1)
	if size <= inMemory {
		b, err := io.ReadAll(bounded)
		if err := checkDecompressed(int64(len(b)), size, err); err != nil {
			return nil, 0, err
		}
		return bytes.NewReader(b), size, nil
	}
	file, err := limit.NewUnnamedFile(os.TempDir())
	if err != nil {
		return nil, 0, &table.Error{Msg: "cannot create a temporary file to unpack the array", Err: err,
			Hint: "write the archive with numpy.savez, without compression"}
	}
	n, err := io.Copy(file, bounded)
	if err := checkDecompressed(n, size, err); err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, size, nil
}

// checkDecompressed returns an error unless an array of the given size decompressed to n bytes without an error.
func checkDecompressed(n, size int64, err error) error {
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return checksumError()
	case err != nil:
		return table.Damaged("the array cannot be decompressed: %v", err)
	case n != size:
		return table.Damaged("the array decompresses to %d bytes instead of %d", n, size)
	}
	return nil
}

// checksumError returns the error of an array whose checksum is wrong.
func checksumError() error { return table.Damaged("the checksum of the array is wrong") }

// checkStored returns an error if the checksum of an array that is stored without compression is wrong.
func checkStored(ctx context.Context, r io.ReaderAt, size int64, want uint32) error {
	if want == 0 { // the program that wrote the archive may not have computed a checksum
		return nil
	}
	sum := crc32.NewIEEE()
	b := make([]byte, min(size, 1<<20))
	for at := int64(0); at < size; at += int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		b = b[:min(int64(len(b)), size-at)]
		if err := table.ReadFull(r, b, at); err != nil {
			return err
		}
		_, _ = sum.Write(b)
	}
	if sum.Sum32() != want {
		return checksumError()
	}
	return nil
}

// A header is the header of a .npy file.
type header struct {
	element table.Element
	text    int  // size in bytes of a text; 0 for numbers
	wide    bool // whether texts are UTF-32
	fortran bool
	shape   []int
	offset  int64
}

// entries matches the dictionary in a header: type or types of fields, order and shape.
var entries = regexp.MustCompile(
	`^\{\s*(?:'descr':\s*(?:'([^']*)'|(\[.*\]|\(.*\)))\s*,?\s*|'fortran_order':\s*(True|False)\s*,?\s*|'shape':\s*\(([0-9,\s]*)\)\s*,?\s*)+\}\s*$`)

// headerOf reads the header of a file with the given size. It returns an error if the array is not a table.
func headerOf(in io.ReaderAt, size int64) (h header, err error) {
	if h, err = parseHeader(in, size); err != nil {
		return h, err
	}
	return h, h.check(size)
}

// parseHeader reads the header of a file with the given size, which may hold an array of any shape.
func parseHeader(in io.ReaderAt, size int64) (h header, err error) {
	start := make([]byte, 12)
	if size < int64(len(start)) {
		return h, table.Damaged("the file ends within the header of the array")
	}
	if err := table.ReadFull(in, start, 0); err != nil {
		return h, err
	}
	if string(start[:6]) != Magic {
		return h, table.Damaged("the file is not a NumPy array")
	}
	length, at := int(binary.LittleEndian.Uint16(start[8:])), int64(10)
	if start[6] >= 2 {
		length, at = int(binary.LittleEndian.Uint32(start[8:])), 12
	}
	if start[6] < 1 || start[6] > 3 || length < 0 || length > maxHeader || at+int64(length) > size {
		return h, table.Damaged("the header of the file is not a valid header of a NumPy array")
	}
	raw := make([]byte, length)
	if err := table.ReadFull(in, raw, at); err != nil {
		return h, err
	}
	h.offset = at + int64(length)
	m := entries.FindSubmatch(raw) // type, types of fields, order, shape
	if m == nil || m[4] == nil {
		return h, table.Damaged("the header of the file is not a valid header of a NumPy array")
	}
	h.fortran = string(m[3]) == "True"
	for _, part := range strings.Split(string(m[4]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseInt(part, 10, 48)
		if err != nil {
			return h, table.Damaged("the header of the array states the invalid shape (%s)", m[4])
		}
		h.shape = append(h.shape, int(n))
	}
	if m[1] == nil {
		return h, &table.Error{Msg: "the array has several fields", Hint: "save each field as a separate array"}
	}
	return h, h.setType(string(m[1]))
}

// setType sets the element type from its NumPy description, such as <f4 or |b1.
func (h *header) setType(descr string) error {
	refuse := func() error {
		return &table.Error{Msg: fmt.Sprintf("arrays of type %q are not supported", descr),
			Hint: "convert the array with x.astype(\"float32\"), or to int64, bool or fixed-width text"}
	}
	if len(descr) > 0 && strings.ContainsRune("<>|=", rune(descr[0])) {
		h.element.Big = descr[0] == '>'
		descr = descr[1:]
	}
	if strings.HasPrefix(descr, "O") {
		return &table.Error{Msg: "the array holds pickled Python objects, and unpickling can run arbitrary code",
			Hint: "convert the array to float32, int64, bool or fixed-width text, as in x.astype(\"float32\")"}
	}
	if len(descr) < 2 {
		return refuse()
	}
	size, err := strconv.Atoi(descr[1:])
	if err != nil || size < 1 {
		return refuse()
	}
	h.element.Size = size
	switch descr[0] {
	case 'f':
		h.element.Float = true
		if size != 2 && size != 4 && size != 8 {
			return refuse()
		}
	case 'i', 'u':
		h.element.Signed = descr[0] == 'i'
		if size != 1 && size != 2 && size != 4 && size != 8 {
			return refuse()
		}
	case 'b':
		if h.element.Bool = true; size != 1 {
			return refuse()
		}
	case 'S', 'U':
		if h.wide = descr[0] == 'U'; h.wide {
			size *= 4
		}
		if size > maxTextLen {
			return refuse()
		}
		h.text = size
	default:
		return refuse()
	}
	return nil
}

// check returns an error if the shape is not a table's, or if the size of the file does not match the shape.
func (h *header) check(size int64) error {
	switch {
	case len(h.shape) == 0 || len(h.shape) > 2:
		return &table.Error{Msg: fmt.Sprintf("the array has %d dimensions, but a table needs one or two", len(h.shape)),
			Hint: "reshape the array to (rows, columns)"}
	case len(h.shape) == 2 && h.text > 0:
		return &table.Error{Msg: "an array of strings must be one-dimensional, but this one has two dimensions",
			Hint: "save the columns of the array as separate arrays"}
	case len(h.shape) == 2 && (h.shape[1] < 1 || h.shape[1] > intake.MostWidth):
		return &table.Error{Msg: fmt.Sprintf("the vectors have %d entries; 1 to %d are supported", h.shape[1],
			intake.MostWidth)}
	}
	each := int64(h.element.Size)
	if h.text > 0 {
		each = int64(h.text)
	}
	cells := each
	for _, n := range h.shape {
		if n > 0 && cells > (1<<62)/int64(n) {
			return table.Damaged("the array has the impossible shape %s", formatShape(h.shape))
		}
		cells *= int64(n)
	}
	if have := size - h.offset; have != cells {
		return table.Damaged("the array of shape %s needs %d bytes, but %d follow its header", formatShape(h.shape), cells,
			have)
	}
	return nil
}

// formatShape returns a shape as NumPy writes it, such as (200, 3).
func formatShape[T int | float64](shape []T) string {
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = fmt.Sprintf("%.0f", float64(n))
	}
	if len(text) == 1 {
		return "(" + text[0] + ",)"
	}
	return "(" + strings.Join(text, ", ") + ")"
}

// readTable returns the columns of the array.
func (h *header) readTable(in io.ReaderAt, name string) (*intake.Table, error) {
	t := &intake.Table{Rows: h.shape[0]}
	if h.text > 0 {
		c, err := h.readTexts(in, name)
		t.Columns = []*table.Column{c}
		return t, err
	}
	v := &table.DenseVector{Name: name, Rows: h.shape[0], Width: 1, Element: h.element, From: in, Offset: h.offset}
	if len(h.shape) == 2 {
		v.Width, v.ByColumn = h.shape[1], h.fortran
	}
	t.Columns = v.Columns(len(h.shape) == 1)
	return t, nil
}

// readTexts reads texts of a fixed width, without the zeros that pad them.
func (h *header) readTexts(in io.ReaderAt, name string) (*table.Column, error) {
	n := h.shape[0]
	c := &table.Column{Name: name, Type: "string", Kind: table.Categorical, Code: make([]int32, n)}
	levels := table.NewLevels()
	block := make([]byte, max(1, min(n, 1<<20/h.text))*h.text)
	order := h.element.Order()
	for at := 0; at < n; {
		b := block[:min(len(block), (n-at)*h.text)]
		if err := table.ReadFull(in, b, h.offset+int64(at)*int64(h.text)); err != nil {
			return nil, intake.InColumn(name, err)
		}
		for ; len(b) > 0; b, at = b[h.text:], at+1 {
			text := string(bytes.TrimRight(b[:h.text], "\x00"))
			if h.wide {
				var s strings.Builder
				for i := 0; i < h.text; i += 4 {
					r := order.Uint32(b[i:])
					if r > utf8.MaxRune {
						return nil, intake.InColumn(name, &table.Error{Row: at + 1, Msg: "the text is not Unicode"})
					}
					s.WriteRune(rune(r))
				}
				text = strings.TrimRight(s.String(), "\x00")
			}
			if !utf8.ValidString(text) {
				return nil, intake.InColumn(name, &table.Error{Row: at + 1, Msg: "the text is not UTF-8"})
			}
			c.Code[at] = levels.Code(text)
		}
	}
	c.Level = levels.Text
	return c, nil
}
