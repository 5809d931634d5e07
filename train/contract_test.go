package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// contractRows is the number of rows of a table; row i has the value i mod 4.
const contractRows = 48

// Families of formats: files of one family say equally much about types.
var contractFamilies = map[string]string{"csv": "text", "jsonl": "text", "set": "text", "unquoted": "lines",
	"arrows": "typed", "parquet": "typed", "npy": "arrays", "mixed": "mixed"}

// A contractTable is the rows of a kind of column as its columns y, x and v are written.
type contractTable struct {
	y, x  []int64
	texts []string          // v in text
	typed []json.RawMessage // v in the JSON form of Arrow
	typ   arrow.DataType
}

// newContractTable returns the rows of a kind. Value, if it is not negative, is the only one that they have.
func newContractTable(t *testing.T, kind contractKind, value int) *contractTable {
	t.Helper()
	var values []json.RawMessage
	if err := json.Unmarshal([]byte(kind.typed), &values); err != nil {
		t.Fatal(err)
	}
	c := &contractTable{typ: kind.typ}
	for i := range contractRows {
		k := i % 4
		if value >= 0 {
			k = value
		}
		c.y, c.x = append(c.y, int64((i*i/7+[]int{0, i % 3, 1, i % 2}[k])%2)), append(c.x, int64(i*31%17))
		c.texts, c.typed = append(c.texts, kind.texts[k]), append(c.typed, values[k])
	}
	return c
}

// csv returns the rows from lo to hi as CSV.
func (c *contractTable) csv(lo, hi int) string {
	s := "y;x;v\n"
	for i := lo; i < hi; i++ {
		s += fmt.Sprintf("%d;%d;%s\n", c.y[i], c.x[i], c.texts[i])
	}
	return s
}

// lines returns the rows as JSON Lines with v as text, or as the number or bool that the typed file has.
func (c *contractTable) lines(unquoted bool) (s string) {
	for i := range contractRows {
		v, _ := json.Marshal(c.texts[i])
		if unquoted {
			v = c.typed[i]
			if strings.HasPrefix(c.typ.Name(), "decimal") || strings.HasPrefix(c.typ.Name(), "int") ||
				strings.HasPrefix(c.typ.Name(), "uint") {
				v = []byte(strings.Trim(string(v), `"`))
			}
		}
		s += fmt.Sprintf(`{"y":%d,"x":%d,"v":%s}`+"\n", c.y[i], c.x[i], v)
	}
	return s
}

// arrow returns the rows from lo to hi as an Arrow stream.
func (c *contractTable) arrow(t *testing.T, lo, hi int) string {
	t.Helper()
	make1 := func(typ arrow.DataType, values any) arrow.Array {
		text, _ := json.Marshal(values)
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Int64},
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: c.typ, Nullable: true}}, nil)
	record := array.NewRecord(schema, []arrow.Array{make1(arrow.PrimitiveTypes.Int64, c.y[lo:hi]),
		make1(arrow.PrimitiveTypes.Int64, c.x[lo:hi]), make1(c.typ, c.typed[lo:hi])}, int64(hi-lo))
	var b strings.Builder
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// numpy returns v as a NumPy array, or "" if there is none of its type.
func (c *contractTable) numpy() string {
	var values any
	descr := ""
	switch c.typ.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT64:
		v := make([]int64, contractRows)
		for i, text := range c.typed {
			n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
			if err != nil {
				return ""
			}
			v[i] = n
		}
		values, descr = v, "<i8"
	case arrow.FLOAT64:
		v := make([]float64, contractRows)
		for i, text := range c.typed {
			if v[i] = math.NaN(); string(text) != "null" {
				json.Unmarshal(text, &v[i])
			}
		}
		values, descr = v, "<f8"
	case arrow.BOOL:
		v := make([]byte, contractRows)
		for i, text := range c.typed {
			if string(text) == "null" {
				return ""
			}
			if string(text) == "true" {
				v[i] = 1
			}
		}
		values, descr = v, "|b1"
	case arrow.STRING:
		const width = 20
		v := make([]int32, width*contractRows)
		for i, text := range c.typed {
			var s string
			json.Unmarshal(text, &s)
			if string(text) == "null" || s == "" {
				return ""
			}
			copy(v[width*i:width*(i+1)], []rune(s))
		}
		values, descr = v, fmt.Sprintf("<U%d", width)
	default:
		return ""
	}
	return npy(descr, values)
}

// npy returns a NumPy array of one dimension with contractRows values.
func npy(descr string, values any) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, contractRows)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	binary.Write(&b, binary.LittleEndian, values)
	return b.String()
}

// write writes the rows in the formats, as far as they can hold them, and returns the paths by format.
func (c *contractTable) write(t *testing.T, formats ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{}
	half := contractRows/2 + 1
	save := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, format := range formats {
		switch format {
		case "csv":
			paths[format] = save("t.csv", c.csv(0, contractRows))
		case "jsonl", "unquoted":
			if id := c.typ.ID(); format == "unquoted" && (id == arrow.TIMESTAMP || id == arrow.DURATION) {
				continue // JSON has no such type
			}
			paths[format] = save(format+".jsonl", c.lines(format == "unquoted"))
		case "arrows":
			paths[format] = save("t.arrows", c.arrow(t, 0, contractRows))
		case "parquet":
			paths[format] = filepath.Join(dir, "t.parquet")
			convertToParquet(t, save("p.arrows", c.arrow(t, 0, contractRows)), paths[format])
		case "set":
			save("set/b.csv", c.csv(half, contractRows))
			paths[format] = filepath.Dir(save("set/a.csv", c.csv(0, half)))
		case "mixed":
			save("mixed/b.arrows", c.arrow(t, half, contractRows))
			paths[format] = filepath.Dir(save("mixed/a.csv", c.csv(0, half)))
		case "npy":
			if v := c.numpy(); v != "" {
				paths[format] = save("y.npy", npy("<i8", c.y)) + "," + save("x.npy", npy("<i8", c.x)) + "," + save("v.npy", v)
			}
		}
	}
	return paths
}

// convertToParquet writes a table in Parquet.
func convertToParquet(t *testing.T, from, to string) {
	t.Helper()
	f, err := data.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := f.Exact(t.Context(), []string{"y", "x", "v"})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := exact.Rows(t.Context(), 0, contractRows)
	if err != nil {
		t.Fatal(err)
	}
	var out []data.Column
	for _, c := range columns {
		out = append(out, *c)
	}
	if err := data.WriteTable(to, out, true); err != nil {
		t.Fatal(err)
	}
}

// probabilities returns the probabilities of a model for the rows of a file.
func probabilities(t *testing.T, m *Model, path string) (p []float64, err error) {
	return probabilitiesOf(t, m, path, m.Reading(), BlockOptions{})
}

// probabilitiesOf returns the probabilities of a model for the rows of a file that is read in a given way: NaN for rows
// that are not scored.
func probabilitiesOf(t *testing.T, m *Model, path string, how data.Reading, o BlockOptions) (p []float64, err error) {
	f, err := data.Open(t.Context(), path, how)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = m.PredictBlocks(t.Context(), f, o, func(columns []data.Column) error {
		for _, c := range columns {
			if c.Name != probabilityName {
				continue
			}
			for i, v := range c.Number {
				if c.IsNull(i) {
					v = math.NaN()
				}
				p = append(p, v)
			}
		}
		return nil
	})
	return p, err
}

// A model gives the rows of a table the same scores whatever the format of their file, and a file with some of
// the rows the scores of these rows; or it refuses the file with a message that names the column.
func TestContract_SameRowsSameScoresOrRefusal(t *testing.T) {
	var scored, refused atomic.Int64
	t.Run("kinds", func(t *testing.T) {
		for _, kind := range contractKinds {
			t.Run(strings.ReplaceAll(kind.name, ",", ""), func(t *testing.T) { // a comma separates paths
				t.Parallel()
				paths := newContractTable(t, kind, -1).write(t, "csv", "jsonl", "set", "unquoted", "arrows", "parquet", "npy",
					"mixed")
				parts := make([]map[string]string, len(kind.texts))
				for k := range parts {
					parts[k] = newContractTable(t, kind, k).write(t, "csv", "unquoted", "arrows")
				}
				for _, trained := range []string{"csv", "unquoted", "parquet", "npy"} {
					path, is := paths[trained]
					if !is {
						continue
					}
					cfg := DefaultConfig()
					cfg.Data, cfg.Target, cfg.Loss, cfg.Holdout, cfg.Evaluate = path, "y", "logistic", 0, ""
					cfg.Nu = level.At(1)
					if kind.how != nil {
						kind.how(&cfg)
					}
					m, err := Fit(t.Context(), cfg)
					if err != nil {
						t.Logf("training on %s: %v", trained, err)
						continue
					}
					m = readModel(t, bytes.NewReader(marshal(t, m)))
					want, err := probabilities(t, m, path)
					if err != nil {
						t.Errorf("trained on %s and not read again: %v", trained, err)
						continue
					}
					mayRefuse := func(format string, err error) bool {
						return contractFamilies[format] != contractFamilies[trained] && strings.Contains(err.Error(), `column "v`)
					}
					for format := range paths {
						whole, err := probabilities(t, m, paths[format])
						if err != nil {
							if refused.Add(1); !mayRefuse(format, err) {
								t.Errorf("trained on %s, %s is refused: %v", trained, format, err)
							}
							continue
						}
						scored.Add(1)
						if i := firstDifference(whole, want); i >= 0 {
							t.Errorf("trained on %s, row %d of %s (%q): %v; want %v", trained, i+1, format,
								kind.texts[i%4], whole[i], want[i])
						}
					}
					for k := range parts {
						for format, part := range parts[k] {
							some, err := probabilities(t, m, part)
							if err != nil {
								if refused.Add(1); !mayRefuse(format, err) { // else days and months that nothing decides
									t.Errorf("trained on %s, the rows of %q in %s are refused: %v", trained, kind.texts[k],
										format, err)
								}
								continue
							}
							of := slices.Clone(want)
							for i := range of {
								if i%4 != k {
									of[i] = some[i]
								}
							}
							if i := firstDifference(some, of); i >= 0 {
								t.Errorf("trained on %s, row %d of %s with %q alone: %v; want %v", trained, i+1, format,
									kind.texts[k], some[i], want[i])
							}
						}
					}
				}
			})
		}
	})
	t.Logf("%d kinds: %d pairs of files give the same scores, %d or parts of them are refused", len(contractKinds),
		scored.Load(), refused.Load())
	if scored.Load() < 12*int64(len(contractKinds)) {
		t.Errorf("only %d pairs of files are scored", scored.Load())
	}
}

// firstDifference returns the first index at which numbers differ by more than rounding, or -1.
func firstDifference(a, b []float64) int {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-12) {
			return i
		}
	}
	return -1
}

// A text file whose numbers probably have other separators than those of the training table is an error, unless the
// user names the separators; other text files give the same scores.
func TestContract_OtherMarksAreRefused(t *testing.T) {
	const rows = 60
	number := func(k int) int { return 100 + k*317%9000 }
	group := func(mark string, v int) string {
		if v < 1000 {
			return fmt.Sprint(v)
		}
		return fmt.Sprintf("%d%s%03d", v/1000, mark, v%1000)
	}
	forms := map[string]func(k int) string{
		"plain":            func(k int) string { return fmt.Sprint(number(k)) },
		"points":           func(k int) string { return group(".", number(k)) },
		"commas":           func(k int) string { return group(",", number(k)) },
		"some points":      func(k int) string { return group([]string{"", "."}[k%2], number(k)) },
		"some commas":      func(k int) string { return group([]string{"", ","}[k%2], number(k)) },
		"cents":            func(k int) string { return fmt.Sprintf("%d.00", number(k)) },
		"minus":            func(k int) string { return "−" + fmt.Sprint(number(k)) },
		"minus and points": func(k int) string { return "−" + group(".", number(k)) },
		"a bad row": func(k int) string {
			if k == 7 {
				return "?"
			}
			return group(".", number(k))
		},
	}
	dir := t.TempDir()
	for name, form := range forms {
		text := "y;v\n"
		for k := range rows {
			text += fmt.Sprintf("%d;%s\n", k*k/7%2, form(k))
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const same, refused = "same", "refused"
	for _, c := range []struct {
		trained   string
		thousands string
		want      map[string]string
	}{
		{"plain", "", map[string]string{"plain": same, "cents": same, "points": refused, "some points": refused,
			"commas": refused, "a bad row": refused}},
		{"points", ".", map[string]string{"plain": same, "points": same, "some points": same, "commas": refused,
			"some commas": refused, "cents": refused}},
		{"commas", ",", map[string]string{"plain": same, "commas": same, "some commas": same, "cents": same,
			"points": refused, "some points": refused}},
		{"cents", "", map[string]string{"plain": same, "cents": same, "points": refused, "some points": refused,
			"commas": refused}},
		{"minus", "", map[string]string{"minus": same, "minus and points": refused, "points": refused}},
		// read as fractions, with a note
		{"points", "", map[string]string{"points": same, "plain": refused, "commas": refused}},
	} {
		cfg := DefaultConfig()
		cfg.Data, cfg.Target, cfg.Loss, cfg.Holdout, cfg.Evaluate =
			filepath.Join(dir, c.trained+".csv"), "y", "logistic", 0, ""
		cfg.Nu, cfg.Reading.Text.Thousands = level.At(1), c.thousands
		m, err := Fit(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		want, err := probabilities(t, m, cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		for name, is := range c.want {
			for _, invalid := range []bool{false, true} {
				path := filepath.Join(dir, name+".csv")
				got, err := probabilitiesOf(t, m, path, m.Reading(), BlockOptions{NullInvalid: invalid})
				switch {
				case is == refused && err == nil && invalid &&
					!slices.ContainsFunc(got, func(p float64) bool { return p-p == 0 && !slices.Contains(want, p) }):
				case is == refused && err == nil:
					t.Errorf("trained on %s (thousands %q): %s is scored", c.trained, c.thousands, name)
				case is == refused && !strings.Contains(err.Error(), `column "v"`):
					t.Errorf("trained on %s: %s: %v", c.trained, name, err)
				case is == same && err != nil:
					t.Errorf("trained on %s (thousands %q): %s: %v", c.trained, c.thousands, name, err)
				case is == same && !slices.Equal(got, want):
					t.Errorf("trained on %s (thousands %q): %s has other scores", c.trained, c.thousands, name)
				}
			}
		}
		if c.trained == "plain" { // the user says that points are decimal separators
			how := m.Reading()
			how.Text.TrustMarks = true
			if _, err := probabilitiesOf(t, m, filepath.Join(dir, "points.csv"), how, BlockOptions{}); err != nil {
				t.Errorf("marks that the user named are refused: %v", err)
			}
			how = m.Reading()
			for k := range how.Columns {
				how.Columns[k].Marks = nil // as in models of earlier versions
			}
			if _, err := probabilitiesOf(t, m, filepath.Join(dir, "points.csv"), how, BlockOptions{}); err == nil {
				t.Error("a model without marks takes fractions for its whole numbers")
			}
		}
	}
}
