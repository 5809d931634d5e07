package export

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train/score"
)

func (o Options) goPackage() (string, error) {
	if o.Package == "" {
		return "model", nil
	}
	if !token.IsIdentifier(o.Package) || o.Package == "_" || o.Package == "main" {
		return "", fmt.Errorf("%q cannot be the name of a package that others import", o.Package)
	}
	return o.Package, nil
}

// A goWriter writes the source of a model.
type goWriter struct {
	bytes.Buffer
	*model
	fields []string // of the row, of each column
	tables []string // variables: vectors and piecewise functions
}

// goSource returns a package without dependencies: a struct Row with one field per column and a function Score
// or, for more than two classes, Probabilities and Classes.
func (m *model) goSource(o Options) ([]byte, error) {
	pkg, err := o.goPackage()
	if err != nil {
		return nil, err
	}
	b := &goWriter{model: m, fields: m.goFields()}
	fmt.Fprintf(b, "// Package %s scores rows: %s.\n// Written by drotrain export; do not edit.\npackage %[1]s\n\nimport \"math\"\n\n", pkg, m.describeScore())
	b.writeRow()
	name, result := "Score", "float64"
	if len(m.constant) > 1 {
		classes := make([]string, len(m.Classes))
		for c, class := range m.Classes {
			classes[c] = strconv.Quote(class)
		}
		fmt.Fprintf(b, "\n// Classes are those of the probabilities.\nvar Classes = [...]string{%s}\n", strings.Join(classes, ", "))
		name, result = "Probabilities", fmt.Sprintf("[%d]float64", len(classes))
	}
	fmt.Fprintf(b, "\n// %s returns the %s. It is NaN where a number is null that has no fill.\nfunc %[1]s(r *Row) %[3]s {\nvar m %[3]s\n",
		name, m.describeScore(), result)
	b.add("1", m.constant)
	vectors, others := m.splitVectors()
	for i, name := range slices.Sorted(maps.Keys(vectors)) {
		b.writeVector(i+1, vectors[name], result)
	}
	for _, p := range others {
		if p.factors == nil {
			b.writeLevels(p)
			continue
		}
		factors := make([]string, len(p.factors))
		for k := range p.factors {
			factors[k] = b.factor(&p.factors[k])
		}
		b.add(fmt.Sprintf("((%s - %s) / %s)", strings.Join(factors, " * "), goNumber(p.shift), goNumber(p.scale)), p.weights)
	}
	switch {
	case len(m.constant) > 1:
		fmt.Fprintf(b, `largest, sum := math.Inf(-1), 0.0
for _, v := range m {
	largest = math.Max(largest, v)
}
for c, v := range m {
	m[c] = math.Exp(v - largest)
	sum += m[c]
}
for c := range m {
	m[c] /= sum
}
return m
}

// add adds a value to the margins, times a weight a class.
func add(m *%[1]s, v float64, weights *%[1]s) {
	for c, w := range weights {
		m[c] += w * v
	}
}
`, result)
	case m.isBinary():
		b.WriteString("if m >= 0 {\nreturn 1 / (1 + math.Exp(-m))\n}\nif m < 0 {\ne := math.Exp(m)\nreturn e / (1 + e)\n}\nreturn math.NaN()\n}\n")
	default:
		value := fmt.Sprintf("%s + %s*m", goNumber(m.Shift), goNumber(m.Scale))
		if m.Transform != "" {
			value = fmt.Sprintf("%s*math.Exp(%s) - %s", goNumber(m.Factor()), value, goNumber(m.subtrahend()))
		}
		fmt.Fprintf(b, "if m != m {\nreturn math.NaN()\n}\nreturn %s\n}\n", value)
	}
	b.writeHelpers()
	return format.Source(b.Bytes())
}

// writeRow writes the type Row.
func (b *goWriter) writeRow() {
	b.WriteString("// A Row is what the model reads. NaN is a null number, nil a null of the others.\ntype Row struct {\n")
	longest := map[string]int{} // entry of each vector
	for _, c := range b.columns {
		longest[c.Vector] = max(longest[c.Vector], c.entry)
	}
	written := names{}
	for i, c := range b.columns {
		switch {
		case written[b.fields[i]]:
		case c.Vector == "":
			fmt.Fprintf(b, "%s %s // %s%s\n", b.fields[i], c.goType(), oneLine(c.Column), c.goNote())
		default:
			fmt.Fprintf(b, "%s []float64 // %s: at least %d numbers, else the score is NaN\n", b.fields[i], oneLine(c.Vector), longest[c.Vector]+1)
		}
		written[b.fields[i]] = true
	}
	b.WriteString("}\n")
}

// field returns the expression of the value of a column.
func (b *goWriter) field(column int) string {
	if c := &b.columns[column]; c.Vector != "" {
		return fmt.Sprintf("entry(r.%s, %d)", b.fields[column], c.entry)
	}
	return "r." + b.fields[column]
}

// writeVector writes a loop over the entries of a column of vectors, which is shorter and faster than statements.
func (b *goWriter) writeVector(number int, entries []part, result string) {
	var rows strings.Builder
	for _, p := range entries {
		c, fill, weight := &b.columns[p.factors[0].Term], math.NaN(), goNumber(p.weights[0])
		if c.Fill != nil {
			fill = *c.Fill
		}
		if len(p.weights) > 1 {
			weight = goArray(len(p.weights), p.weights)
		}
		fmt.Fprintf(&rows, "{%d, %s, %s, %s, %s},\n", c.entry, goNumber(p.shift), goNumber(p.scale), goNumber(fill), weight)
	}
	first := entries[0].factors[0].Term
	b.tables = append(b.tables, fmt.Sprintf("// vector%[1]d are the entries of %[2]s that have weights.\nvar vector%[1]d = []struct {\nat int\nshift, scale, fill float64\nweight %[3]s\n}{\n%[4]s}\n",
		number, oneLine(b.columns[first].Vector), result, &rows))
	add := "m += t.weight * v"
	if len(b.constant) > 1 {
		add = "add(&m, v, &t.weight)"
	}
	fmt.Fprintf(b, "for i := range vector%d {\nt := &vector%[1]d[i]\nv := (filled(entry(r.%s, t.at), t.fill) - t.shift) / t.scale\n%s\n}\n", number, b.fields[first], add)
}

// add writes a statement that adds value, which may be "1", times weights to the margins.
func (b *goWriter) add(value string, weights []float64) {
	switch {
	case len(weights) > 1:
		fmt.Fprintf(b, "add(&m, %s, &%s)\n", value, goArray(len(weights), weights))
	case value == "1":
		fmt.Fprintf(b, "m += %s\n", goNumber(weights[0]))
	default:
		fmt.Fprintf(b, "m += %s * %s\n", goNumber(weights[0]), value)
	}
}

// writeLevels writes statements that add the weights of the level of a category.
func (b *goWriter) writeLevels(p part) {
	c, v := &b.columns[p.column], b.field(p.column)
	null := len(c.Levels)
	if c.Null {
		fmt.Fprintf(b, "if %s {\n", b.is(p.column, null))
		b.add("1", p.levels[null])
		b.WriteString("} else {\n")
		v = c.pointer() + v
	}
	fmt.Fprintf(b, "switch %s {\n", v)
	for k := range c.Levels {
		fmt.Fprintf(b, "case %s:\n", c.goLevel(k))
		b.add("1", p.levels[k])
	}
	b.WriteString("}\n")
	if c.Null {
		b.WriteString("}\n")
	}
}

// is returns the condition that a column has a level; the level after the last stands for nulls.
func (b *goWriter) is(column, level int) string {
	c, v := &b.columns[column], b.field(column)
	switch {
	case level == len(c.Levels) && c.holdsNumbers():
		return v + " != " + v
	case level == len(c.Levels):
		return v + " == nil"
	case c.pointer() != "":
		return fmt.Sprintf("%s != nil && *%[1]s == %s", v, c.goLevel(level))
	}
	return v + " == " + c.goLevel(level)
}

// factor returns an expression for the value of a factor.
func (b *goWriter) factor(x *score.Factor) string {
	c, v := &b.columns[x.Term], b.field(x.Term)
	if c.Kind != score.Numeric {
		return fmt.Sprintf("indicator(%s)", b.is(x.Term, x.Level))
	}
	if c.Fill != nil {
		v = fmt.Sprintf("filled(%s, %s)", v, goNumber(*c.Fill))
	}
	switch x.Function.Name {
	case "log":
		return fmt.Sprintf("logarithm(%s)", v)
	case "log1p", "square":
		return fmt.Sprintf("%s(%s)", x.Function.Name, v)
	case "piecewise":
		var curve strings.Builder
		for _, p := range piecesOf(&x.Function) {
			fmt.Fprintf(&curve, "{%s, %s, %s},\n", goNumber(p.base), goNumber(p.until), goArray(4, p.coefficients))
		}
		number := len(b.tables) + 1
		b.tables = append(b.tables, fmt.Sprintf("var curve%d = curve{\n%s}\n", number, &curve))
		return fmt.Sprintf("curve%d.at(%s)", number, v)
	}
	return v
}

// pointer returns "*" if the field of the column is a pointer, which is nil for a null.
func (c *column) pointer() string {
	if c.Null && !c.holdsNumbers() {
		return "*"
	}
	return ""
}

func (c *column) goType() string {
	switch {
	case c.holdsNumbers():
		return "float64"
	case c.Kind == score.Bool:
		return c.pointer() + "bool"
	}
	return c.pointer() + "string"
}

func (c *column) goNote() string {
	note := ""
	if c.Date {
		note = ", in days since 1970-01-01"
	}
	switch {
	case c.Fill != nil:
		note += fmt.Sprintf("; nulls are taken as %v", *c.Fill)
	case c.Kind == score.Categorical:
		note += fmt.Sprintf(": one of %d %s, others add nothing", len(c.Levels), printable.Noun(len(c.Levels), "level", "levels"))
	}
	return note
}

// goLevel returns a level as a literal.
func (c *column) goLevel(k int) string {
	switch {
	case c.numbers != nil:
		return goNumber(c.numbers[k])
	case c.Kind == score.Bool:
		return strconv.FormatBool(c.Levels[k] == "true")
	}
	return strconv.Quote(c.Levels[k])
}

func goNumber(v float64) string {
	switch s := strconv.FormatFloat(v, 'g', -1, 64); {
	case math.IsNaN(v):
		return "math.NaN()"
	case math.IsInf(v, 1):
		return "math.Inf(1)"
	case v < 0:
		return "(" + s + ")"
	default:
		return s
	}
}

// goArray returns a literal of an array of n numbers that begins with values.
func goArray(n int, values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = goNumber(v)
	}
	return fmt.Sprintf("[%d]float64{%s}", n, strings.Join(out, ", "))
}

// goFields returns the names of the fields of Row. The entries of a vector share one field.
func (m *model) goFields() []string {
	used, out, fields := names{}, make([]string, len(m.columns)), map[string]string{}
	for i, c := range m.columns {
		if c.Vector != "" && fields[c.Vector] != "" {
			out[i] = fields[c.Vector]
			continue
		}
		var b strings.Builder
		up := true
		for _, r := range c.input() {
			if !unicode.IsLetter(r) && (!unicode.IsDigit(r) || b.Len() == 0) {
				up = true
				continue
			}
			if up {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			up = false
		}
		name := b.String()
		if !token.IsExported(name) {
			name = "Column" + name
		}
		out[i] = used.unique(name)
		fields[c.Vector] = out[i]
	}
	return out
}

// goHelpers are the functions that the source has if it calls them.
var goHelpers = []struct{ call, source string }{
	{"curve{", `// A curve is a polynomial in v − base from the previous piece's end to until.
type curve []struct {
	base, until  float64
	coefficients [4]float64
}

func (c curve) at(v float64) float64 {
	for _, p := range c {
		if v < p.until {
			u, k := v-p.base, p.coefficients
			return k[0] + u*(k[1]+u*(k[2]+u*k[3]))
		}
	}
	return math.NaN()
}
`},
	{"entry(", `// entry is a number of a vector, NaN where it has fewer.
func entry(v []float64, at int) float64 {
	if at < len(v) {
		return v[at]
	}
	return math.NaN()
}
`},
	{"filled(", `// filled is v, or the given number where v is null.
func filled(v, fill float64) float64 {
	if v != v {
		return fill
	}
	return v
}
`},
	{"indicator(", `func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
`},
	{"log1p(", `// log1p is log(1+v), NaN outside its domain.
func log1p(v float64) float64 {
	if v > -1 {
		return math.Log1p(v)
	}
	return math.NaN()
}
`},
	{"logarithm(", `// logarithm is NaN outside its domain.
func logarithm(v float64) float64 {
	if v > 0 {
		return math.Log(v)
	}
	return math.NaN()
}
`},
	{"square(", `func square(v float64) float64 { return v * v }
`},
}

// writeHelpers writes the variables and the helpers that are used.
func (b *goWriter) writeHelpers() {
	for _, t := range b.tables {
		b.WriteString("\n" + t)
	}
	source := b.String()
	for _, h := range goHelpers {
		if strings.Contains(source, h.call) {
			b.WriteString("\n" + h.source)
		}
	}
}
