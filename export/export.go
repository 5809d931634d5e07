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
)

// A Format names a language.
type Format string

// The languages. An Output of Go takes two files: Write gives the source, WriteGoTest its test.
const (
	ONNX Format = "onnx"
	SQL  Format = "sql"
	Go   Format = "go"
	PMML Format = "pmml"
	CSV  Format = "csv"
)

// Formats lists the languages.
func Formats() []Format { return []Format{ONNX, SQL, Go, PMML, CSV} }

// Options say what the languages leave open. The zero value will do.
type Options struct {
	Dialect string // of SQL, one of Dialects(); "": duckdb
	Table   string // that SQL selects from, as written in SQL; "": data
	Package string // of Go source; "": model
}

// Write writes the robust model m. A model that the format cannot express is an
// error that says why, and nothing is written.
func Write(w io.Writer, m *train.Model, f Format, o Options) error {
	formula, err := formulaOf(m)
	if err != nil {
		return err
	}
	var out []byte
	switch f {
	case ONNX:
		out, err = onnxModel(formula, m.Version)
	case SQL:
		out, err = sqlSelect(formula, o)
	case Go:
		out, err = goSource(formula, o)
	case PMML:
		out, err = pmmlDocument(formula, m.Version)
	case CSV:
		out, err = coefficientTable(m)
	default:
		return fmt.Errorf("unknown format %q: the formats are %v", f, Formats())
	}
	if err != nil {
		return fmt.Errorf("the model cannot be written as %s: %w", f, err)
	}
	_, err = w.Write(out)
	return err
}

func formulaOf(m *train.Model) (*train.Formula, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	if len(f.Terms) == 0 {
		return nil, fmt.Errorf("the model uses no column: its score is one number, %v", f.Constant)
	}
	for _, t := range f.Terms {
		for _, v := range append(slices.Clone(t.Weights), t.Weight, t.Shift, t.Missing, f.Constant) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the model is damaged: a coefficient of column %q is %v", t.Column, v)
			}
		}
	}
	return f, nil
}

// binary reports whether the score is a probability.
func isBinary(f *train.Formula) bool { return f.Target.Task == data.Binary }

// scoreName names the score as predict does.
func scoreName(f *train.Formula) string {
	if isBinary(f) {
		return "probability"
	}
	return "prediction"
}

// header says in a line what the score is.
func header(f *train.Formula) string {
	if isBinary(f) {
		return fmt.Sprintf("probability that %s is %s", f.Target.Name, f.Target.Positive)
	}
	return fmt.Sprintf("%s, in its own units", f.Target.Name)
}

// oneLine keeps a text from ending a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// levelNumbers are the levels of a category whose column holds numbers.
func levelNumbers(t train.Term) ([]float64, error) {
	out := make([]float64, len(t.Levels))
	for i, l := range t.Levels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil {
			return nil, fmt.Errorf("column %q holds numbers, but its level %q is none", t.Column, l)
		}
		out[i] = v
	}
	return out, nil
}

// boolWeights are what false and true add.
func boolWeights(t train.Term) (no, yes float64) {
	for i, l := range t.Levels {
		if l == "true" {
			yes = t.Weights[i]
		} else {
			no = t.Weights[i]
		}
	}
	return no, yes
}

// A names gives every use a name of its own.
type names map[string]bool

func (n names) unique(name string) string {
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}

func columnNames(f *train.Formula) names {
	n := names{}
	for _, t := range f.Terms {
		n[t.Column] = true
	}
	return n
}
