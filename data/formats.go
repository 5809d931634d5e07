package data

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/ipc"
	"github.com/drotrain/drotrain/data/internal/libsvm"
	"github.com/drotrain/drotrain/data/internal/npy"
	"github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/internal/text"
)

// A format describes how files of one format are recognised and read.
type format struct {
	name       string
	extensions []string // in a directory, files with one of these extensions are read
	others     []string // further extensions that are accepted for a file given by name
	text       bool     // files are text and may be compressed (.gz, .bz2)
	magic      string   // the first bytes of a file; "" for text
	rules      bool     // read applies the rules for cell values itself
	archive    bool     // files of other formats begin with the same bytes, so the extension must match too
	read       readFunc
}

// A readFunc reads at least the named columns of a file, or all columns if names is nil. If exact is set, it keeps
// the values exactly as stored in the file.
type readFunc func(ctx context.Context, in *input, names []string, how Reading, exact bool) (*intake.Table, error)

// formats lists the formats that can be read, for detection, errors and help.
var formats = []*format{
	{name: "Parquet", extensions: []string{".parquet", ".pq"}, magic: "PAR1", read: readParquet},
	{name: "Arrow IPC", extensions: []string{".arrow", ".feather", ".ipc"}, magic: "ARROW1", read: readArrow},
	{name: "Arrow IPC", extensions: []string{".arrows"}, magic: "\xff\xff\xff\xff", read: readArrow},
	csvFormat,
	linesFormat,
	libsvmFormat,
	{name: "NumPy", others: []string{".npy"}, magic: npy.Magic, read: readArray},
	{name: "NumPy", others: []string{".npz"}, magic: zipMagic, archive: true, read: readArray},
}

var csvFormat = &format{name: "CSV", extensions: []string{".csv", ".tsv"},
	others: []string{".txt", ".dat", ".data", ".tab"}, text: true, rules: true, read: readText(csv.Read)}

var linesFormat = &format{name: "JSON Lines", extensions: []string{".jsonl", ".ndjson"}, text: true,
	rules: true, read: readText(csv.ReadLines)}

var libsvmFormat = &format{name: "LIBSVM", extensions: []string{".svm", ".libsvm", ".svmlight"}, text: true,
	read: readLibsvm}

// formatOfText guesses the format of a text without a file extension, such as the text from a pipe.
func formatOfText(in *input) (*format, error) {
	f, err := text.Examine(in)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(f.Head), []byte("{")):
		return linesFormat, nil
	case libsvm.IsLike(f.Head):
		return libsvmFormat, nil
	}
	return csvFormat, nil
}

// isLikeLibsvm reports whether a file is LIBSVM, judging by its text. Only a file whose name does not decide its format
// is examined, since data sets in this format often have names such as a9a, a9a.t or train.txt. fault is the error of
// detectFormat.
func isLikeLibsvm(in *input, fault error) bool {
	named := formatByName(in.name)
	if !(named == nil && fault != nil || named == csvFormat && !isTableFile(in.name)) {
		return false
	}
	f, err := text.Examine(in)
	return err == nil && libsvm.IsLike(f.Head)
}

// readText returns a readFunc that calls read, a function that reads text.
func readText(
	read func(ctx context.Context, src intake.Source, names []string, o csv.Options, verbatim bool) (*intake.Table, error),
) readFunc {
	return func(ctx context.Context, in *input, names []string, how Reading, exact bool) (*intake.Table, error) {
		return read(ctx, in, names, how.options(), exact)
	}
}

func readParquet(ctx context.Context, in *input, names []string, how Reading, exact bool) (*intake.Table, error) {
	return parquet.Open(ctx, in, names, how.Dates != "" && !exact, exact)
}

func readArrow(ctx context.Context, in *input, names []string, how Reading, exact bool) (t *intake.Table, err error) {
	err = intake.Guard(func() (err error) {
		t, err = ipc.Read(ctx, in, names, exact, how.Dates != "" && !exact)
		return err
	})
	return t, err
}

func readLibsvm(ctx context.Context, in *input, _ []string, _ Reading, _ bool) (*intake.Table, error) {
	return libsvm.Read(ctx, in)
}

func readArray(ctx context.Context, in *input, _ []string, _ Reading, _ bool) (*intake.Table, error) {
	if in.format.archive {
		return npy.ReadArchive(ctx, in)
	}
	return npy.Read(in)
}

const zipMagic = "PK\x03\x04"

// refused lists the first bytes of known formats that cannot be read, and the messages about them.
var refused = []struct{ magic, msg, hint string }{
	{"PARE", "encrypted Parquet files are not supported", "write the file again without encryption"},
	{"FEA1", "Feather version 1 is not supported", "write the table again as Feather version 2, Arrow IPC or Parquet"},
	{zipMagic, "zip archives such as .xlsx are not supported",
		"save the table as Parquet or CSV, or NumPy arrays as .npz"},
	{"\xd0\xcf\x11\xe0", "Excel files (.xls) are not supported", "save the table as CSV"},
	{"SQLite f", "SQLite databases are not supported",
		"write a table as CSV: sqlite3 -header -csv FILE 'SELECT * FROM table' > table.csv"},
	{"\x89HDF", "HDF5 files are not supported", "save the table as Parquet"},
	{"Obj\x01", "Avro files are not supported", "save the table as Parquet"},
}

// FormatNames returns the names of the formats that can be read.
func FormatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return slices.Compact(names)
}

// listExtensions returns the file extensions that mark tables in a directory, for messages.
func listExtensions() string {
	var all []string
	for _, f := range formats {
		all = append(all, f.extensions...)
	}
	return strings.Join(all, " ") + ", with .gz or .bz2 added if a text is compressed"
}

// extensions lists the file extensions that mark tables in a directory.
var extensions = func() (all []string) {
	for _, f := range formats {
		for _, e := range f.extensions {
			all = append(all, e)
			if f.text {
				all = append(all, e+".gz", e+".bz2")
			}
		}
	}
	return all
}()

// isTableFile reports whether a file in a directory is read as a table, judging by its extension.
func isTableFile(name string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

// formatByName returns the format that the extension of a file name states, or nil.
func formatByName(name string) *format {
	for _, f := range formats {
		for _, e := range slices.Concat(f.extensions, f.others) {
			if strings.HasSuffix(strings.ToLower(name), e) || f.text && strings.HasSuffix(text.TrimCompression(name), e) {
				return f
			}
		}
	}
	return nil
}

// detectFormat returns the format of a file, judging by its first bytes and then by its name.
func detectFormat(name string, head []byte) (*format, error) {
	refuse := func(msg, hint string) (*format, error) { return nil, &Error{Path: name, Msg: msg, Hint: hint} }
	if len(head) == 0 {
		return refuse("the file is empty; it may be truncated", "")
	}
	named := formatByName(name)
	for _, f := range formats {
		another := f.archive && f != named && filepath.Ext(name) != "" // a pipe has no extension
		if f.magic != "" && bytes.HasPrefix(head, []byte(f.magic)) && !another {
			return f, nil
		}
	}
	for _, r := range refused {
		if bytes.HasPrefix(head, []byte(r.magic)) {
			return refuse(r.msg, r.hint)
		}
	}
	switch {
	case named != nil && named.text:
		return named, nil
	case named != nil:
		return refuse(fmt.Sprintf("the file is not in the format %s: it does not start with %q", named.name, named.magic),
			"if the file is in another format, give it the extension of that format; otherwise it is damaged")
	case strings.HasSuffix(strings.ToLower(name), ".json"):
		return refuse("JSON must be written as JSON Lines, one object per line",
			"if the file is JSON Lines, rename it to .jsonl; otherwise convert it with jq -c '.[]'")
	}
	return refuse("the format of the file is unknown", "give the file the extension of its format: "+listExtensions())
}
