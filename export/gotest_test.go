package export

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// scoreRow returns the score of a row of values in the order of the terms, or the probabilities
// of more than two classes.
func scoreRow(formulas []*score.Formula, row []any) ([]float64, error) {
	out := make([]float64, len(formulas))
	largest, sum := math.Inf(-1), 0.0
	for c, f := range formulas {
		if len(formulas) > 1 { // its margin
			margin := *f
			margin.Target = score.Target{Name: "margin", Numeric: true, Scale: 1}
			f = &margin
		}
		s, err := score.New(f)
		if err != nil {
			return nil, err
		}
		v, err := s.Values(row...)
		if err != nil {
			return nil, err
		}
		out[c], largest = v, max(largest, v)
	}
	if len(formulas) == 1 {
		return out, nil
	}
	for c, v := range out {
		out[c] = math.Exp(v - largest)
		sum += out[c]
	}
	for c := range out {
		out[c] /= sum
	}
	return out, nil
}

// encodeGoTest returns the source of a test that compares the exported function with rows scored by the model.
func encodeGoTest(formulas []*score.Formula, o Options) ([]byte, error) {
	pkg, err := o.goPackage()
	if err != nil {
		return nil, err
	}
	f := formulas[0]
	m := must(newModel(formulas))
	fields := m.goFields()
	got := "[]float64{Score(&c.row)}"
	if len(formulas) > 1 {
		got = "Probabilities(&c.row)"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\"math\"\n\"testing\"\n)\n\nfunc at[T any](v T) *T { return &v }\n\nfunc TestScore(t *testing.T) {\nfor i, c := range []struct {\nrow Row\nwant []float64\n}{\n", pkg)
	for _, row := range edgeRows(f) {
		want, err := scoreRow(formulas, row)
		if err != nil {
			return nil, err
		}
		if math.IsInf(want[0], 0) {
			continue
		}
		b.WriteString("{Row{")
		for i, v := range row {
			if f.Terms[i].Vector == "" {
				fmt.Fprintf(&b, "%s: %s, ", fields[i], goLiteral(&m.columns[i], v))
			}
		}
		vectors, err := rowVectors(f, row)
		if err != nil {
			return nil, err
		}
		for i, t := range f.Terms {
			if numbers, first := vectors[t.Vector]; first {
				fmt.Fprintf(&b, "%s: []float64{%s}, ", fields[i], joinNumbers(numbers))
				delete(vectors, t.Vector)
			}
		}
		fmt.Fprintf(&b, "}, []float64{%s}},\n", joinNumbers(want))
	}
	fmt.Fprintf(&b, "} {\nfor k, got := range %s {\nif want := c.want[k]; !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {\nt.Errorf(\"row %%d: %%v, not %%v\", i, got, want)\n}\n}\n}\n}\n\nvar _ = at[bool]\n", got)
	return format.Source(b.Bytes())
}

// rowVectors returns the vectors of a row by their columns; entries without a term are 0.
func rowVectors(f *score.Formula, row []any) (map[string][]float64, error) {
	out := map[string][]float64{}
	for i, t := range f.Terms {
		if t.Vector == "" {
			continue
		}
		c, err := newColumn(t)
		if err != nil {
			return nil, err
		}
		k := c.entry
		v := out[t.Vector]
		for len(v) <= k {
			v = append(v, 0)
		}
		if number, ok := row[i].(float64); ok {
			v[k] = number
		} else {
			v[k] = math.NaN()
		}
		out[t.Vector] = v
	}
	return out, nil
}

func joinNumbers(values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = goNumber(v)
	}
	return strings.Join(out, ", ")
}

// goLiteral returns the value of a term as a literal of Go.
func goLiteral(c *column, v any) string {
	pointer := c.pointer() != ""
	var s string
	switch v := v.(type) {
	case nil:
		if pointer {
			return "nil"
		}
		if c.goType() == "float64" {
			return "math.NaN()"
		}
		return strconv.Quote("")
	case float64:
		s = goNumber(v)
	case bool:
		s = strconv.FormatBool(v)
	case string:
		s = strconv.Quote(v)
	}
	if pointer {
		return "at(" + s + ")"
	}
	return s
}
