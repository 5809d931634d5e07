package data

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/drotrain/drotrain/data/internal/npy"
)

// An arrayFile is one .npy or .npz file of a list; the arrays of the list become the columns of one table.
type arrayFile struct {
	name string // name of its column, or "" for the name of the file
	file string
}

// arraysOf splits a list of arrays, [name=]file.npy or file.npz separated by commas, into its files. It returns nil if
// path is not such a list.
func arraysOf(path string) (arrays []arrayFile) {
	parts := strings.Split(path, ",")
	for _, p := range parts {
		name, file, named := strings.Cut(p, "=")
		if low := strings.ToLower(p); !strings.HasSuffix(low, ".npy") &&
			!((named || len(parts) > 1) && strings.HasSuffix(low, ".npz")) {
			return nil
		}
		if _, err := os.Stat(p); err == nil || !named {
			name, file = "", p
		}
		arrays = append(arrays, arrayFile{name, file})
	}
	if _, err := os.Stat(path); len(parts) == 1 && arrays[0].name == "" || err == nil {
		return nil
	}
	return arrays
}

// joinArrayFiles returns a table with the columns of all arrays, named after their arrays and read as how specifies for
// these names. It returns an error if the numbers of rows differ or two columns have the same name.
func joinArrayFiles(ctx context.Context, arrays []arrayFile, frames []*Frame, how Reading) (*Frame, error) {
	out := &Frame{Rows: frames[0].Rows, how: how, sideBySide: true}
	from := map[string]string{}
	for i, f := range frames {
		file := arrays[i].file
		if f.Rows != out.Rows {
			return nil, &Error{Path: file, Msg: fmt.Sprintf("the array has %d rows, but %s has %d", f.Rows, arrays[0].file,
				out.Rows), Hint: "all arrays of a table need the same number of rows"}
		}
		for _, c := range f.Columns {
			if name := arrays[i].name; name != "" && c.Vector != "" {
				c.Name, c.Vector = name+strings.TrimPrefix(c.Name, npy.VectorName), name
			} else if name != "" {
				c.Name = name
			}
			other, twice := from[c.Name]
			if whole, is := from[c.Vector]; is && c.Vector != "" && whole != file { // sparse and dense vectors
				other, twice = whole, true
			}
			if twice {
				return nil, &Error{Path: file, Column: cmp.Or(c.Vector, c.Name),
					Msg: "the array of " + other + " has the same name", Hint: "name one of the arrays, as in z=" + file}
			}
			from[c.Name] = file
			if c.Vector != "" {
				from[c.Vector] = file
			}
		}
		out.Columns = append(out.Columns, f.Columns...)
		out.Notes, out.Remarks = append(out.Notes, f.Notes...), append(out.Remarks, f.Remarks...)
		source := f.Sources[0]
		if i > 0 {
			source.Rows = 0 // the rows are counted for the first file only
		}
		out.Sources, out.inputs = append(out.Sources, source), append(out.inputs, f.inputs...)
	}
	return out, out.applyReading(ctx, true)
}
