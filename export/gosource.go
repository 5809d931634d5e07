package export

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
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
	formulas []*score.Formula // one, or one a class
	fields   []string         // of the row, one a term
	helpers  *goHelpers
}

// goSource returns a package without dependencies: a struct Row with one field per column and a function Score
// or, for more than two classes, Probabilities and Classes.
func goSource(formulas []*score.Formula, o Options) ([]byte, error) {
	pkg, err := o.goPackage()
	if err != nil {
		return nil, err
	}
	f := formulas[0]
	b := &goWriter{formulas: formulas, fields: goFields(f), helpers: &goHelpers{used: map[string]bool{}}}
	fmt.Fprintf(b, "// Package %s scores rows: %s.\n// Written by drotrain export; do not edit.\npackage %s\n\nimport \"math\"\n\n", pkg, oneLine(describeScore(f)), pkg)
	if err := b.writeRow(); err != nil {
		return nil, err
	}
	result := "float64"
	if len(formulas) > 1 {
		classes := make([]string, len(f.Target.Classes))
		for c, class := range f.Target.Classes {
			classes[c] = strconv.Quote(class)
		}
		fmt.Fprintf(b, "}\n\n// Classes are those of the probabilities.\nvar Classes = [...]string{%s}\n", strings.Join(classes, ", "))
		result = fmt.Sprintf("[%d]float64", len(classes))
		fmt.Fprintf(b, "\n// Probabilities returns the %s. They are NaN where a number is null that has no fill.\nfunc Probabilities(r *Row) %s {\nm := %s\n",
			oneLine(describeScore(f)), result, b.weights(func(f *score.Formula) float64 { return f.Constant }))
	} else {
		fmt.Fprintf(b, "}\n\n// Score returns the %s. It is NaN where a number is null that has no fill.\nfunc Score(r *Row) float64 {\nm := float64(%s)\n", oneLine(describeScore(f)), strconv.FormatFloat(f.Constant, 'g', -1, 64))
	}
	for i, t := range f.Terms {
		if t.Vector != "" || onlyInProducts(formulas, i) {
			continue
		}
		if err := b.writeTerm(i); err != nil {
			return nil, err
		}
	}
	tables, err := b.writeVectors()
	if err != nil {
		return nil, err
	}
	for i, p := range f.Products {
		factors := make([]string, len(p.Factors))
		for k := range p.Factors {
			x := &p.Factors[k]
			if factors[k], err = b.helpers.factor(x, f.Terms[x.Term], b.field(x.Term)); err != nil {
				return nil, err
			}
		}
		b.add(fmt.Sprintf("((%s - %s) / %s)", strings.Join(factors, " * "), goNumber(p.Shift), goNumber(p.Scale)),
			func(f *score.Formula) float64 { return f.Products[i].Weight })
	}
	switch {
	case len(formulas) > 1:
		fmt.Fprintf(b, "largest, sum := math.Inf(-1), 0.0\nfor _, v := range m {\nlargest = math.Max(largest, v)\n}\nfor c, v := range m {\nm[c] = math.Exp(v - largest)\nsum += m[c]\n}\nfor c := range m {\nm[c] /= sum\n}\nreturn m\n}\n")
	case isBinary(f):
		b.WriteString("if m >= 0 {\nreturn 1 / (1 + math.Exp(-m))\n}\nif m < 0 {\ne := math.Exp(m)\nreturn e / (1 + e)\n}\nreturn math.NaN()\n}\n")
	default:
		value := fmt.Sprintf("%s + %s*m", goNumber(f.Target.Shift), goNumber(f.Target.Scale))
		switch f.Target.Transform {
		case "log":
			value = fmt.Sprintf("%s * math.Exp(%s)", goNumber(f.Target.Factor()), value)
		case "log1p":
			value = fmt.Sprintf("%s*math.Exp(%s) - 1", goNumber(f.Target.Factor()), value)
		}
		fmt.Fprintf(b, "if m != m {\nreturn math.NaN()\n}\nreturn %s\n}\n", value)
	}
	b.WriteString(tables)
	if len(formulas) > 1 {
		fmt.Fprintf(b, "\n// add adds a value to the margins, times a weight a class.\nfunc add(m *%[1]s, v float64, weights *%[1]s) {\nfor c, w := range weights {\nm[c] += w * v\n}\n}\n", result)
	}
	b.helpers.writeTo(&b.Buffer)
	return format.Source(b.Bytes())
}

// writeRow writes the fields of Row.
func (b *goWriter) writeRow() error {
	b.WriteString("// A Row is what the model reads. NaN is a null number, nil a null of the others.\ntype Row struct {\n")
	seen := map[string]bool{}
	for i, t := range b.formulas[0].Terms {
		switch {
		case t.Vector == "":
			fmt.Fprintf(b, "%s %s // %s%s\n", b.fields[i], goType(t), oneLine(t.Column), goNote(t))
		case !seen[t.Vector]:
			seen[t.Vector] = true
			most := 0
			for _, u := range b.formulas[0].Terms {
				if u.Vector == t.Vector {
					k, err := vectorIndex(u)
					if err != nil {
						return err
					}
					most = max(most, k)
				}
			}
			fmt.Fprintf(b, "%s []float64 // %s: at least %d numbers, else the score is NaN\n", b.fields[i], oneLine(t.Vector), most+1)
		}
	}
	return nil
}

// field returns the expression of the value of a term.
func (b *goWriter) field(i int) string {
	if t := b.formulas[0].Terms[i]; t.Vector != "" {
		k, _ := vectorIndex(t) // writeRow has checked it
		return fmt.Sprintf("%s(r.%s, %d)", b.helpers.markUsed("entry"), b.fields[i], k)
	}
	return "r." + b.fields[i]
}

// weights returns a number, or an array with one number per formula.
func (b *goWriter) weights(of func(f *score.Formula) float64) string {
	if len(b.formulas) == 1 {
		return goNumber(of(b.formulas[0]))
	}
	all := make([]string, len(b.formulas))
	for c, f := range b.formulas {
		all[c] = goNumber(of(f))
	}
	return fmt.Sprintf("[%d]float64{%s}", len(all), strings.Join(all, ", "))
}

// add writes a statement that adds value times a weight to the margin of every formula.
func (b *goWriter) add(value string, weight func(f *score.Formula) float64) {
	switch w := b.weights(weight); {
	case len(b.formulas) > 1:
		fmt.Fprintf(b, "add(&m, %s, &%s)\n", value, w)
	case value == "1":
		fmt.Fprintf(b, "m += %s\n", w)
	default:
		fmt.Fprintf(b, "m += %s * %s\n", w, value)
	}
}

// writeVectors writes loops over the entries of vectors and returns the tables of their weights.
func (b *goWriter) writeVectors() (tables string, err error) {
	f := b.formulas[0]
	var out strings.Builder
	number := 0
	for _, name := range inputColumns(f) {
		var lines []string
		field := ""
		for i, t := range f.Terms {
			if t.Vector != name {
				continue
			}
			k, err := vectorIndex(t)
			if err != nil {
				return "", err
			}
			fill := "math.NaN()"
			if t.Fill != nil {
				fill = goNumber(*t.Fill)
			}
			field = b.fields[i]
			lines = append(lines, fmt.Sprintf("{%d, %s, %s, %s, %s},\n", k, goNumber(t.Shift), goNumber(t.Scale), fill, b.weights(func(f *score.Formula) float64 { return f.Terms[i].Weight })))
		}
		if lines == nil {
			continue
		}
		number++
		typ := "float64"
		if len(b.formulas) > 1 {
			typ = fmt.Sprintf("[%d]float64", len(b.formulas))
		}
		fmt.Fprintf(&out, "\n// vector%[1]d are the entries of %[2]s that have weights.\nvar vector%[1]d = []struct {\nat int\nshift, scale, fill float64\nweight %[3]s\n}{\n%[4]s}\n", number, oneLine(name), typ, strings.Join(lines, ""))
		fmt.Fprintf(b, "for i := range vector%d {\nt := &vector%[1]d[i]\nv := %s\n", number, b.helpers.call("filled", fmt.Sprintf("%s(r.%s, t.at), t.fill", b.helpers.markUsed("entry"), field)))
		if len(b.formulas) > 1 {
			b.WriteString("add(&m, (v - t.shift) / t.scale, &t.weight)\n}\n")
		} else {
			b.WriteString("m += t.weight * ((v - t.shift) / t.scale)\n}\n")
		}
	}
	return out.String(), nil
}

// writeTerm writes the contribution of a column to the margin.
func (b *goWriter) writeTerm(i int) error {
	t, field := b.formulas[0].Terms[i], "r."+b.fields[i]
	if t.Kind == score.Numeric {
		weight := func(f *score.Formula) float64 { return f.Terms[i].Weight }
		v := field
		if t.Fill != nil {
			fmt.Fprintf(b, "if v := %s; v != v {\n", field)
			if len(b.formulas) > 1 {
				b.add(goNumber((*t.Fill-t.Shift)/t.Scale), weight)
			} else {
				fmt.Fprintf(b, "m += %s\n", goNumber(t.Weight*((*t.Fill-t.Shift)/t.Scale)))
			}
			b.WriteString("} else {\n")
			v = "v"
		}
		b.add(fmt.Sprintf("((%s - %s) / %s)", v, goNumber(t.Shift), goNumber(t.Scale)), weight)
		if t.Fill != nil {
			b.WriteString("}\n")
		}
		return nil
	}
	numeric := t.Stored == score.Numeric && t.Kind == score.Categorical
	missing := func(f *score.Formula) float64 { return f.Terms[i].Missing }
	v := field
	if t.Null && numeric {
		fmt.Fprintf(b, "if %s != %s {\n", field, field)
	} else if t.Null {
		fmt.Fprintf(b, "if %s == nil {\n", field)
		v = "*" + field
	}
	if t.Null {
		b.add("1", missing)
		b.WriteString("} else {\n")
	}
	if t.Kind == score.Bool {
		fmt.Fprintf(b, "if %s {\n", v)
		b.add("1", func(f *score.Formula) float64 { _, yes := boolWeights(f.Terms[i]); return yes })
		b.WriteString("} else {\n")
		b.add("1", func(f *score.Formula) float64 { no, _ := boolWeights(f.Terms[i]); return no })
		b.WriteString("}\n")
	} else {
		fmt.Fprintf(b, "switch %s {\n", v)
		values := []float64(nil)
		if numeric {
			var err error
			if values, err = levelNumbers(t); err != nil {
				return err
			}
		}
		for k, l := range t.Levels {
			key := strconv.Quote(l)
			if numeric {
				key = goNumber(values[k])
			}
			fmt.Fprintf(b, "case %s:\n", key)
			b.add("1", func(f *score.Formula) float64 { return f.Terms[i].Weights[k] })
		}
		b.WriteString("}\n")
	}
	if t.Null {
		b.WriteString("}\n")
	}
	return nil
}

func goType(t score.Term) string {
	typ := "string"
	switch {
	case t.Kind == score.Numeric || t.Kind == score.Categorical && t.Stored == score.Numeric:
		return "float64"
	case t.Kind == score.Bool:
		typ = "bool"
	}
	if t.Null {
		return "*" + typ
	}
	return typ
}

func goNote(t score.Term) string {
	switch {
	case t.Date && t.Fill != nil:
		return fmt.Sprintf(", in days since 1970-01-01; nulls are taken as %v", *t.Fill)
	case t.Date:
		return ", in days since 1970-01-01"
	case t.Fill != nil:
		return fmt.Sprintf("; nulls are taken as %v", *t.Fill)
	case t.Kind == score.Categorical:
		return fmt.Sprintf(": one of %d %s, others add nothing", len(t.Levels), printable.Noun(len(t.Levels), "level", "levels"))
	}
	return ""
}

func goNumber(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if v < 0 {
		return "(" + s + ")"
	}
	return s
}

// goFields returns the names of the fields of Row. The entries of a vector share one field.
func goFields(f *score.Formula) []string {
	used, out, vectors := names{}, make([]string, len(f.Terms)), map[string]string{}
	for i, t := range f.Terms {
		column := t.Column
		if t.Vector != "" {
			if out[i] = vectors[t.Vector]; out[i] != "" {
				continue
			}
			column = t.Vector
		}
		var b strings.Builder
		up := true
		for _, r := range column {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) && b.Len() > 0:
				if up {
					r = unicode.ToUpper(r)
				}
				b.WriteRune(r)
				up = false
			default:
				up = true
			}
		}
		name := b.String()
		if !token.IsExported(name) {
			name = "Column" + name
		}
		out[i] = used.unique(name)
		if t.Vector != "" {
			vectors[t.Vector] = out[i]
		}
	}
	return out
}
