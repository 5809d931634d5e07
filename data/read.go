package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// Read loads a table from a file, from the files that match a glob pattern, or from the files of a directory.
// Several files must have the same schema; their rows follow one another in the order of the file names. The format
// is detected by the first bytes of a file or, failing that, by its extension:
//
//	Parquet           .parquet .pq
//	Arrow IPC file    .arrow .feather .ipc
//	Arrow IPC stream  .arrows
//	CSV               .csv .tsv; a single file also as .txt .dat .data .tab
//	JSON Lines        .jsonl .ndjson: one flat object per line
//	LIBSVM            .svm .libsvm .svmlight: a column label, a column x of sparse vectors and, if the file has
//	                  query numbers, a column qid
//	NumPy             .npy .npz: an array of two dimensions is a column of vectors; files separated by commas, as
//	                  x.npy,y.npy, are columns beside each other; not in directories
//
// Text formats may be compressed, with the further extension .gz or .bz2. Subdirectories are not searched, and files
// of a directory whose names start with "." or "_" are skipped. Errors name the file.
//
// All values are loaded into memory; [Open] leaves those of some formats on disk until they are needed. A Reading
// changes how text and dates are read.
func Read(ctx context.Context, path string, how ...Reading) (*Frame, error) {
	if ctx != nil {
		ctx = intake.WithValuesHeld(ctx)
	}
	f, err := Open(ctx, path, how...)
	if err != nil {
		return nil, err
	}
	return f.loadAndClose(ctx)
}

// Open works like Read, but leaves the values of Parquet, Arrow IPC and NumPy files on disk, and stores the values of
// other files in a temporary file if they would take more than a quarter of the free memory. Vectors in Parquet and
// Arrow IPC files are decoded at once, into memory or a temporary file. [Frame.Column] reads a column on request, and
// encode.Fit and encode.Encoder read one stripe of rows at a time, so that memory never holds both the full table and
// the matrix. The schema and the structure of every file are checked at once; damage to values is found when they are
// read.
//
// A change of a file before Close is called is an error. A named pipe is read once, to its end. If it
// delivers 64 MiB or more, the data are stored in a temporary file, which disappears when the frame is closed or the
// process ends.
func Open(ctx context.Context, path string, how ...Reading) (f *Frame, err error) {
	arrays := arraysOf(path)
	var files []string
	for _, a := range arrays {
		files = append(files, a.file)
	}
	if arrays == nil {
		if files, err = listFiles(path); err != nil {
			return nil, err
		}
	}
	var frames []*Frame
	wanted := append(how, Reading{})[0]
	if arrays != nil { // the columns receive their names when they are joined
		how = []Reading{{Text: wanted.Text, Dates: wanted.Dates, Zone: wanted.Zone}}
		how[0].Text.Missing = nil
	}
	defer func() {
		if err != nil {
			for _, f := range frames {
				f.Close()
			}
		}
	}()
	for _, file := range files {
		in, err := openInput(ctx, file)
		if err != nil {
			return nil, err
		}
		in.watch = intake.WatchFrom(ctx)
		in.watch.AddSize(in.size)
		f, err := openTable(ctx, in, how...)
		if err != nil {
			return nil, err
		}
		frames = append(frames, f)
	}
	if arrays != nil {
		return joinArrayFiles(ctx, arrays, frames, wanted)
	}
	if frames, err = rereadAlike(ctx, frames, how); err != nil {
		return nil, err
	}
	return concatFrames(ctx, frames)
}

// rereadAlike rereads the files of a table if they were read by different rules, so that one set of rules applies
// to all: the forms of columns in how or, if how has none, forms that fit every file.
func rereadAlike(ctx context.Context, frames []*Frame, how []Reading) ([]*Frame, error) {
	r := append(how, Reading{})[0]
	if len(frames) == 1 {
		return frames, nil
	}
	if r.Columns != nil {
		return readMixedAsText(ctx, frames, r)
	}
	forms, agreed := commonForms(frames)
	r.Columns = forms
	for i, f := range frames {
		if agreed {
			f.how.Columns = forms
			continue
		}
		again, err := openTable(ctx, f.inputs[0], r)
		if err != nil {
			return frames, err
		}
		frames[i] = again
	}
	return frames, nil
}

// readMixedAsText rereads the tables if a column that, by the contract, should hold numbers or dates is text in
// some of the tables. The column is then text in all tables, so that the rows with text can be found.
func readMixedAsText(ctx context.Context, frames []*Frame, r Reading) ([]*Frame, error) {
	forms, mixed := slices.Clone(r.Columns), map[string]bool{}
	textIn := func(f *Frame, name string) *Column {
		at := slices.IndexFunc(f.Columns, func(c *Column) bool {
			return c.Name == name && c.Kind == Categorical &&
				c.FromText
		})
		if at < 0 || f.Columns[at].Type == "null" {
			return nil
		}
		return f.Columns[at]
	}
	for i, form := range forms {
		texts := 0
		for _, f := range frames {
			if textIn(f, form.Name) != nil {
				texts++
			}
		}
		if form.Kind == Numeric && texts > 0 && texts < len(frames) {
			mixed[form.Name] = true
			forms[i] = ColumnForm{Name: form.Name, Kind: Categorical, Type: "string", Text: true}
		}
	}
	if len(mixed) == 0 {
		return frames, nil
	}
	original := r
	r.Columns = forms
	for i, f := range frames {
		if !f.inputs[0].format.text {
			continue
		}
		again, err := openTable(ctx, f.inputs[0], r)
		if err != nil {
			return frames, err
		}
		for name := range mixed {
			if was, is := textIn(f, name), textIn(again, name); was != nil && is != nil {
				is.UnexpectedRow, is.Unexpected = was.UnexpectedRow, was.Unexpected
			}
		}
		again.how = original
		frames[i] = again
	}
	return frames, nil
}

// OpenReader works like Open for a stream, which it reads to its end. Messages use the name; its extension
// determines the format if the first bytes do not. Without an extension, text is LIBSVM if its first row is in that
// format, JSON Lines if it begins with {, and CSV otherwise.
func OpenReader(ctx context.Context, name string, r io.Reader, how Reading) (*Frame, error) {
	in, err := spoolReader(ctx, name, r, spoolSize)
	if err != nil {
		return nil, err
	}
	return openTable(ctx, in, how)
}

// ReadBytes works like Read for the content of a file in memory. Messages use the name; its extension determines
// the format if the first bytes do not.
func ReadBytes(ctx context.Context, name string, b []byte, how ...Reading) (*Frame, error) {
	if ctx != nil {
		ctx = intake.WithValuesHeld(ctx)
	}
	f, err := openTable(ctx, bytesInput(name, b), how...)
	if err != nil {
		return nil, err
	}
	return f.loadAndClose(ctx)
}

// loadAndClose loads all values into memory, waits for the checksums and closes the files.
func (f *Frame) loadAndClose(ctx context.Context) (*Frame, error) {
	defer f.Close()
	cols, err := table.Load(ctx, f.Columns)
	if err != nil {
		return nil, intake.InFile(f.Name(), err)
	}
	f.Columns = cols
	return f, f.Fingerprint()
}

// listFiles returns the files that a path denotes: the file itself, the tables in a directory, or the files that match
// a pattern.
func listFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return listDirectory(path)
	case err == nil && info.Mode()&fs.ModeDevice != 0:
		return nil, &Error{Path: path, Msg: "the path names a device, not a file"}
	case err == nil:
		return []string{path}, nil
	}
	e := &Error{Path: path, Msg: "cannot read", Err: table.Cause(err)}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, e
	}
	if !strings.ContainsAny(path, "*?[") {
		e.Hint = suggestFiles(path)
		return nil, e
	}
	files, err := filepath.Glob(path)
	if err != nil {
		return nil, &Error{Path: path, Msg: "the pattern is not valid", Err: err}
	}
	dots := strings.HasPrefix(filepath.Base(path), ".")
	files = slices.DeleteFunc(files, func(f string) bool {
		// as in a shell, "*" does not match dot files
		return strings.HasPrefix(filepath.Base(f), ".") && !dots || isDirectory(f)
	})
	if len(files) == 0 {
		return nil, &Error{Path: path, Msg: "no file matches this pattern"}
	}
	slices.Sort(files)
	return files, checkDistinct(files)
}

// checkDistinct returns an error if two names refer to the same file, whose rows would be counted twice.
func checkDistinct(files []string) error {
	infos := make([]fs.FileInfo, 0, len(files))
	bySize := map[int64][]int{}
	for i, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return &Error{Path: file, Msg: "cannot read", Err: table.Cause(err)}
		}
		infos = append(infos, info)
		for _, k := range bySize[info.Size()] {
			if os.SameFile(info, infos[k]) {
				return &Error{Path: file, Msg: fmt.Sprintf("the file is the same as %s, so its rows would count twice", files[k]),
					Hint: "remove the link, or name the files to read"}
			}
		}
		bySize[info.Size()] = append(bySize[info.Size()], i)
	}
	return nil
}

// listDirectory returns the tables in a directory, sorted by name.
func listDirectory(path string) (files []string, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &Error{Path: path, Msg: "cannot read the directory", Err: table.Cause(err)}
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") && isTableFile(file) && !isDirectory(file) {
			files = append(files, file)
		}
	}
	if err := checkDistinct(files); err != nil {
		return nil, err
	}
	if files == nil {
		return nil, &Error{Path: path, Msg: "the directory holds no table",
			Hint: cmp.Or(suggestPattern(path), "the table files in a directory end in "+listExtensions())}
	}
	return files, nil
}

// isDirectory reports whether a path is a directory, or a link to one.
func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// suggestPattern returns a glob for the tables in subdirectories, such as those of a partitioned data set.
func suggestPattern(dir string) string {
	for _, deep := range []string{"*", "*/*", "*/*/*"} {
		for _, ext := range extensions {
			pattern := filepath.Join(dir, deep, "*"+ext)
			if files, _ := filepath.Glob(pattern); len(files) > 0 {
				return fmt.Sprintf("the pattern %s reads the tables in the folders, but not the values in the folders' "+
					"names, such as %s", pattern, filepath.Base(filepath.Dir(files[0])))
			}
		}
	}
	return ""
}

// suggestFiles returns a hint that names files of the same directory with similar names.
func suggestFiles(path string) string {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	near := printable.Nearest(base, names, 3)
	if len(near) == 0 {
		return ""
	}
	for i := range near {
		near[i] = dir + near[i]
	}
	return "did you mean " + printable.QuoteList(near, "or") + "?"
}

// openTable returns the frame of a file, as Open does. If it fails, it closes the file.
func openTable(ctx context.Context, in *input, reading ...Reading) (f *Frame, err error) {
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	name, how := in.name, append(reading, Reading{})[0]
	if ctx == nil {
		return nil, &Error{Path: name, Msg: "cannot read", Err: errors.New("the context is nil")}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head := make([]byte, min(in.size, 8))
	if err := in.read(head, 0); err != nil {
		return nil, err
	}
	in.format, err = detectFormat(name, head)
	if len(head) > 0 && isLikeLibsvm(in, err) {
		in.format, err = libsvmFormat, nil
	}
	if err != nil {
		if in.was != nil || filepath.Ext(name) != "" || len(head) == 0 {
			return nil, err
		}
		if in.format, err = formatOfText(in); err != nil {
			return nil, intake.InFile(name, err)
		}
	}
	if err := how.Validate(); err != nil {
		return nil, &Error{Path: name, Msg: err.Error()}
	}
	if in.sum == nil {
		in.hash(ctx)
	}
	var t *intake.Table
	err = table.Catch(func() (err error) { t, err = in.format.read(ctx, in, nil, how, false); return err })
	if err != nil {
		return nil, intake.InFile(name, err)
	}
	f = &Frame{Rows: t.Rows, Columns: t.Columns, Notes: t.Notes, how: how, exact: &exactColumns{}}
	for i, c := range f.Columns {
		f.Columns[i] = c.WithoutNaN()
	}
	f.Sources = []Source{{Path: name, Bytes: in.size, Rows: f.Rows}}
	f.unusedMissing, f.unusedRelabel = t.UnusedMissing, t.UnusedRelabel
	if err := f.applyReading(ctx, !in.format.rules); err != nil {
		return nil, intake.InFile(name, err)
	}
	if err := f.replaceDates(); err != nil {
		return nil, err
	}
	for _, r := range t.Remarks {
		f.Notes = append(f.Notes, r.Error())
		r.Path = name
		f.Remarks = append(f.Remarks, (*Error)(r))
	}
	f.inputs = []*input{in}
	return f, nil
}

// UnusedTexts returns the texts of the Reading that no cell of the table contains: those that mark missing values,
// and those to be relabelled.
func (f *Frame) UnusedTexts() (missing, relabel []string) { return f.unusedMissing, f.unusedRelabel }

// UnusedOptions returns the names of the settings of o that have no effect on the files of the table, as in model files
// ("no_header"), and the formats of the files. Only [TextOptions] that apply to text are considered; Missing also applies
// to typed columns. Both results are nil if all have an effect or the table was not read from files.
func (f *Frame) UnusedOptions(o TextOptions) (names, of []string) {
	if len(f.inputs) == 0 {
		return nil, nil
	}
	isCSV, isText := false, false
	for _, in := range f.inputs {
		isCSV = isCSV || in.format == csvFormat
		isText = isText || in.format == csvFormat || in.format == linesFormat
		if !slices.Contains(of, in.format.name) {
			of = append(of, in.format.name)
		}
	}
	for _, c := range []struct {
		name           string
		given, applies bool
	}{
		{"no_header", o.NoHeader, isCSV}, {"delimiter", o.Delimiter != "", isCSV},
		{"decimal", o.Decimal != "", isText}, {"thousands", o.Thousands != "", isText},
		{"strip", o.Strip != "", isText}, {"date_order", o.DateOrder != "", isText},
		{"numeric", len(o.Numeric) > 0, isText},
	} {
		if c.given && !c.applies {
			names = append(names, c.name)
		}
	}
	if names == nil {
		return nil, nil
	}
	return names, of
}
