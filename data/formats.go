package data

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/ipc"
	"github.com/drotrain/drotrain/data/internal/npy"
	"github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/internal/table"
)

// A format describes how files of a format are recognised and read.
type format struct {
	name       string
	extensions []string // a directory is searched for files with one of these
	others     []string // extensions that a file given by its name may have as well
	text       bool     // files may be compressed: .gz, .bz2
	magic      []string // the first bytes of a file; nil for text
	archive    bool     // other formats have the same first bytes, and the extension decides
	noMagic    string   // error for a file with the extension and other first bytes
	read       readFunc
}

// A readFunc reads the named columns of a file; nil means all. If exact is set, it keeps the values exactly as
// the file has them.
type readFunc func(ctx context.Context, in *input, names []string, how Reading, exact bool) (*table.Table, error)

// formats lists the formats that can be read, for detection, errors and help.
var formats = []*format{
	{
		name: "Parquet", extensions: []string{".parquet", ".pq"}, magic: []string{"PAR1"},
		noMagic: "not a Parquet file: it does not start with PAR1",
		read: func(_ context.Context, in *input, names []string, how Reading, exact bool) (*table.Table, error) {
			return parquet.Open(in, names, how.Dates != "" && !exact, exact)
		},
	},
	{
		name: "Arrow IPC", extensions: []string{".arrow", ".feather", ".ipc"}, magic: []string{"ARROW1"},
		noMagic: "not an Arrow IPC file: it does not start with ARROW1", read: readArrow,
	},
	{
		name: "Arrow IPC", extensions: []string{".arrows"}, magic: []string{"\xff\xff\xff\xff"},
		noMagic: "not an Arrow IPC stream: it does not start with a message mark", read: readArrow,
	},
	csvFormat,
	linesFormat,
	{
		name: "NumPy", others: []string{".npy"}, magic: []string{npy.Magic}, noMagic: "not a file of NumPy: it does not start as one",
		read: func(_ context.Context, in *input, names []string, _ Reading, _ bool) (*table.Table, error) {
			return keepColumns(names)(npy.Read(in))
		},
	},
	{
		name: "NumPy", others: []string{".npz"}, magic: []string{zipMagic}, archive: true, noMagic: "not a file of NumPy: it does not start as one",
		read: func(ctx context.Context, in *input, names []string, _ Reading, _ bool) (*table.Table, error) {
			return keepColumns(names)(npy.ReadArchive(ctx, in))
		},
	},
}

var csvFormat = &format{
	name: "CSV", extensions: []string{".csv", ".tsv"}, others: []string{".txt", ".dat", ".data", ".tab"}, text: true,
	read: func(ctx context.Context, in *input, names []string, how Reading, exact bool) (*table.Table, error) {
		return csv.Read(ctx, in, names, how.csvOptions(), exact)
	},
}

var linesFormat = &format{
	name: "JSON Lines", extensions: []string{".jsonl", ".ndjson"}, text: true,
	read: func(ctx context.Context, in *input, names []string, how Reading, exact bool) (*table.Table, error) {
		return csv.ReadLines(ctx, in, names, how.csvOptions(), exact)
	},
}

func readArrow(ctx context.Context, in *input, names []string, how Reading, exact bool) (t *table.Table, err error) {
	err = table.Guard(func() (err error) { t, err = ipc.Read(ctx, in, names, exact, how.Dates != "" && !exact); return err })
	return t, err
}

// keepColumns returns a function that keeps only the named columns of a table; nil keeps all.
func keepColumns(names []string) func(t *table.Table, err error) (*table.Table, error) {
	return func(t *table.Table, err error) (*table.Table, error) {
		if err == nil && names != nil {
			err = t.Keep(names)
		}
		return t, err
	}
}

const zipMagic = "PK\x03\x04"

// refused lists the magic numbers of formats that cannot be read.
var refused = []struct{ magic, msg, hint string }{
	{"PARE", "the Parquet file is encrypted, which is not supported", "write it again without encryption"},
	{"FEA1", "this is Feather version 1, which is not supported", "write it again as Feather version 2, Arrow IPC or Parquet"},
	{zipMagic, "this is a zip archive, as .xlsx is, which is not read", "write its table as Parquet or CSV; arrays of NumPy are read from .npz"},
}

// FormatNames returns the names of the formats that can be read.
func FormatNames() (names []string) {
	for _, f := range formats {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
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

// IsTable reports whether the extension of a file name is that of a table.
func IsTable(name string) bool { return formatByName(name) != nil }

// inDirectory reports whether a file of a directory is read as a table, judging by its extension.
func inDirectory(name string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

// formatByName returns the format of a file extension, or nil.
func formatByName(name string) *format {
	extension := strings.ToLower(filepath.Ext(name))
	unpacked := filepath.Ext(csv.Unpacked(name))
	for _, f := range formats {
		for _, e := range slices.Concat(f.extensions, f.others) {
			if e == extension || f.text && e == unpacked {
				return f
			}
		}
	}
	return nil
}

// detect returns the format of a file, judging by its first bytes and then by its name.
func detect(name string, head []byte) (*format, error) {
	named := formatByName(name)
	if len(head) == 0 {
		if named != nil && named.text {
			return nil, &Error{Path: name, Msg: "the file is empty"}
		}
		return nil, &Error{Path: name, Msg: "the file is empty; it may be truncated"}
	}
	for _, f := range formats {
		if f.archive && f != named && filepath.Ext(name) != "" { // a pipe has no extension
			continue
		}
		for _, m := range f.magic {
			if bytes.HasPrefix(head, []byte(m)) {
				return f, nil
			}
		}
	}
	for _, r := range refused {
		if bytes.HasPrefix(head, []byte(r.magic)) {
			return nil, &Error{Path: name, Msg: r.msg, Hint: r.hint}
		}
	}
	switch {
	case named != nil && named.text:
		return named, nil
	case named != nil:
		return nil, &Error{Path: name, Msg: named.noMagic}
	case strings.HasSuffix(strings.ToLower(name), ".json"):
		return nil, &Error{Path: name, Msg: "JSON is read as JSON Lines, one object a line", Hint: "if it is, name it .jsonl; else write it so, as jq -c '.[]' does"}
	}
	return nil, &Error{Path: name, Msg: "the format of this file is unknown", Hint: "name it with one of " + strings.Join(extensions, " ")}
}
