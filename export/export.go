package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// A Format is an export format.
type Format string

// The languages.
const (
	ONNX Format = "onnx"
	SQL  Format = "sql"
	Go   Format = "go"
	PMML Format = "pmml"
	CSV  Format = "csv"
)

// Formats returns all formats.
func Formats() []Format { return []Format{ONNX, SQL, Go, PMML, CSV} }

// Options holds options of the formats. The zero value selects the defaults.
type Options struct {
	Dialect string // of SQL, one of Dialects(); "": duckdb
	Table   string // that SQL selects from, as written in SQL; "": data
	Package string // of Go source; "": model

	Formulas bool // in CSV, leave text that a spreadsheet would run, as =1+1, without an apostrophe
}

// Write writes the robust model m. If the format cannot express the model, it returns an error and writes
// nothing.
func Write(w io.Writer, m *train.Model, f Format, o Options) error {
	formulas, err := formulasOf(m)
	if err != nil {
		return err
	}
	var out []byte
	if f == CSV {
		out, err = coefficientTable(m, o)
	} else {
		out, err = encodeFormulas(formulas, f, o, m.Version)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// formulasOf returns the formula of a model, or one formula per class if there are more than two. They have the
// same terms and products with different weights.
func formulasOf(m *train.Model) ([]*score.Formula, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	all := f.Classes
	if all == nil {
		all = []*score.Formula{f}
	}
	for _, one := range all {
		one.Target = f.Target
		if err := check(one); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// encodeFormulas returns the model with the given formulas in a format.
func encodeFormulas(formulas []*score.Formula, f Format, o Options, version string) (out []byte, err error) {
	switch f {
	case ONNX:
		out, err = onnxModel(formulas, version)
	case SQL:
		out, err = sqlSelect(formulas, o)
	case Go:
		out, err = goSource(formulas, o)
	case PMML:
		out, err = pmmlDocument(formulas, version)
	default:
		return nil, fmt.Errorf("unknown format %q: the formats are %v", f, Formats())
	}
	if err != nil {
		return nil, fmt.Errorf("the model cannot be written as %s: %w", f, err)
	}
	return out, nil
}

// check returns an error for a formula without columns or with numbers that no format can express.
func check(f *score.Formula) error {
	if len(f.Terms) == 0 {
		return fmt.Errorf("the model uses no column: its score is one number, %v", f.Constant)
	}
	switch f.Target.Transform {
	case "", "log", "log1p":
	default:
		return fmt.Errorf("the function %q of the target is not known", f.Target.Transform)
	}
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	for _, t := range f.Terms {
		values := append(slices.Clone(t.Weights), t.Weight, t.Shift, t.Missing, f.Constant)
		if i := slices.IndexFunc(values, bad); i >= 0 {
			return fmt.Errorf("the model is damaged: a coefficient of column %q is %v", t.Column, values[i])
		}
	}
	for _, p := range f.Products {
		values := []float64{p.Weight, p.Shift, p.Scale}
		if i := slices.IndexFunc(values, bad); i >= 0 {
			return fmt.Errorf("the model is damaged: a coefficient of a product is %v", values[i])
		}
		for i := range p.Factors {
			function := data.Function(p.Factors[i].Function)
			if err := function.Validate(); err != nil {
				return fmt.Errorf("the model is damaged: %w", err)
			}
		}
	}
	return nil
}

// onlyInProducts reports whether a number is used only in products.
func onlyInProducts(formulas []*score.Formula, term int) bool {
	for _, f := range formulas {
		if t := f.Terms[term]; t.Kind != score.Numeric || t.Weight != 0 {
			return false
		}
	}
	return usedInProduct(formulas[0], term)
}

// inputColumns returns the columns of the table that a formula reads; a column of vectors counts once.
func inputColumns(f *score.Formula) []string {
	var out []string
	for _, t := range f.Terms {
		name := t.Column
		if t.Vector != "" {
			name = t.Vector
		}
		if t.Vector == "" || !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// vectorIndex returns the index of a term within its vector.
func vectorIndex(t score.Term) (int, error) {
	var k int
	if n, err := fmt.Sscanf(strings.TrimPrefix(t.Column, t.Vector), "[%d]", &k); n != 1 || err != nil || k < 0 {
		return 0, fmt.Errorf("the model is damaged: the column %q is no entry of the vector %q", t.Column, t.Vector)
	}
	return k, nil
}

// isBinary reports whether the score is a probability.
func isBinary(f *score.Formula) bool { return !f.Target.Numeric && f.Target.Classes == nil }

// scoreName returns the name of the score, as predict uses it.
func scoreName(f *score.Formula) string {
	if isBinary(f) {
		return "probability"
	}
	return "prediction"
}

// describeScore describes the score in one line.
func describeScore(f *score.Formula) string {
	switch {
	case f.Target.Classes != nil:
		return fmt.Sprintf("probability of each of %d classes of %s", len(f.Target.Classes), f.Target.Name)
	case isBinary(f):
		return fmt.Sprintf("probability that %s is %s", f.Target.Name, f.Target.Positive)
	}
	return fmt.Sprintf("%s, in its own units", f.Target.Name)
}

// oneLine replaces characters that would end a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// levelNumbers returns the levels of a category whose column holds numbers.
func levelNumbers(t score.Term) ([]float64, error) {
	out := make([]float64, len(t.Levels))
	for i, l := range t.Levels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil {
			return nil, fmt.Errorf("column %q holds numbers, but its level %q is not a number", t.Column, l)
		}
		out[i] = v
	}
	return out, nil
}

// boolWeights returns the contributions of false and true.
func boolWeights(t score.Term) (no, yes float64) {
	for i, l := range t.Levels {
		if l == "true" {
			yes = t.Weights[i]
		} else {
			no = t.Weights[i]
		}
	}
	return no, yes
}

// A names value makes names unique.
type names map[string]bool

func (n names) unique(name string) string {
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}

func columnNames(f *score.Formula) names {
	n := names{}
	for _, t := range f.Terms {
		n[t.Column] = true
	}
	for _, c := range inputColumns(f) {
		n[c] = true
	}
	return n
}
