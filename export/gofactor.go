package export

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// goHelpers records which helper functions the exported source uses.
type goHelpers struct {
	used   map[string]bool // keys of goHelper
	curves []string        // the piecewise functions
}

var goHelper = map[string]string{
	"filled": `// filled is v, or the given number where v is null.
func filled(v, fill float64) float64 {
	if v != v {
		return fill
	}
	return v
}
`,
	"logarithm": `// logarithm is NaN outside its domain.
func logarithm(v float64) float64 {
	if v > 0 {
		return math.Log(v)
	}
	return math.NaN()
}
`,
	"log1p": `// log1p is log(1+v), NaN outside its domain.
func log1p(v float64) float64 {
	if v > -1 {
		return math.Log1p(v)
	}
	return math.NaN()
}
`,
	"entry": `// entry is a number of a vector, NaN where it has fewer.
func entry(v []float64, at int) float64 {
	if at < len(v) {
		return v[at]
	}
	return math.NaN()
}
`,
	"square": `func square(v float64) float64 { return v * v }
`,
	"indicator": `func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
`,
	"curve": `// A curve is a polynomial between every two knots and a line beyond them.
type curve struct {
	knots        []float64
	pieces       [][4]float64
	below, above [2]float64
}

func (c *curve) at(v float64) float64 {
	last := len(c.knots) - 1
	if v < c.knots[0] {
		return c.below[0] + c.below[1]*(v-c.knots[0])
	}
	for k, p := range c.pieces {
		if v < c.knots[k+1] {
			u := v - c.knots[k]
			return p[0] + u*(p[1]+u*(p[2]+u*p[3]))
		}
	}
	return c.above[0] + c.above[1]*(v-c.knots[last])
}
`,
}

// markUsed records that a helper is used and returns its name.
func (h *goHelpers) markUsed(name string) string {
	h.used[name] = true
	return name
}

// call returns a call of a helper.
func (h *goHelpers) call(name, arguments string) string {
	return h.markUsed(name) + "(" + arguments + ")"
}

// factor returns an expression for the value of a factor.
func (h *goHelpers) factor(x *score.Factor, t score.Term, field string) (string, error) {
	if t.Kind == score.Numeric {
		if t.Fill != nil {
			field = h.call("filled", field+", "+goNumber(*t.Fill))
		}
		switch x.Function.Name {
		case "log":
			return h.call("logarithm", field), nil
		case "log1p", "square":
			return h.call(x.Function.Name, field), nil
		case "piecewise":
			h.used["curve"] = true
			h.curves = append(h.curves, goCurve(&x.Function))
			return fmt.Sprintf("curve%d.at(%s)", len(h.curves), field), nil
		}
		return field, nil
	}
	pointer, numeric := strings.HasPrefix(goType(t), "*"), strings.HasSuffix(goType(t), "float64")
	if x.Level == len(t.Levels) {
		if numeric {
			return h.call("indicator", field+" != "+field), nil
		}
		return h.call("indicator", field+" == nil"), nil
	}
	value := field
	if pointer {
		value = "*" + field
	}
	level := t.Levels[x.Level]
	is := value + " == " + strconv.Quote(level)
	switch {
	case t.Kind == score.Bool && level == "true":
		is = value
	case t.Kind == score.Bool:
		is = "!" + value
		if pointer {
			is = "!(" + value + ")"
		}
	case numeric:
		values, err := levelNumbers(t)
		if err != nil {
			return "", err
		}
		is = value + " == " + goNumber(values[x.Level])
	}
	if pointer {
		is = field + " != nil && " + is
	}
	return h.call("indicator", is), nil
}

func goCurve(f *score.Function) string {
	list := func(values []float64) string {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = goNumber(v)
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	pieces := make([]string, len(f.Pieces))
	for i, p := range f.Pieces {
		pieces[i] = list(p[:])
	}
	return fmt.Sprintf("curve{[]float64%s, [][4]float64{%s}, [2]float64%s, [2]float64%s}",
		list(f.Knots), strings.Join(pieces, ", "), list(f.Below[:]), list(f.Above[:]))
}

// writeTo writes the helpers that are used.
func (h *goHelpers) writeTo(b *bytes.Buffer) {
	for i, c := range h.curves {
		fmt.Fprintf(b, "\nvar curve%d = %s\n", i+1, c)
	}
	for _, name := range slices.Sorted(maps.Keys(h.used)) {
		b.WriteString("\n" + goHelper[name])
	}
}
