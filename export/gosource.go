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

// goSource returns a package without dependencies: a struct Row with a field a column,
// and Score.
func goSource(f *score.Formula, o Options) ([]byte, error) {
	pkg, err := o.goPackage()
	if err != nil {
		return nil, err
	}
	fields := goFields(f)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s scores rows: %s.\n// Written by drotrain export; do not edit.\npackage %s\n\nimport \"math\"\n\n", pkg, oneLine(header(f)), pkg)
	b.WriteString("// A Row is what the model reads. NaN is a null number, nil a null of the others.\ntype Row struct {\n")
	for i, t := range f.Terms {
		fmt.Fprintf(&b, "%s %s // %s%s\n", fields[i], goType(t), oneLine(t.Column), goNote(t))
	}
	fmt.Fprintf(&b, "}\n\n// Score returns the %s. It is NaN where a number is null that has no fill.\nfunc Score(r *Row) float64 {\nm := float64(%s)\n", oneLine(header(f)), strconv.FormatFloat(f.Constant, 'g', -1, 64))
	for i, t := range f.Terms {
		if alone(f, i) {
			continue
		}
		if err := goTerm(&b, "r."+fields[i], t); err != nil {
			return nil, err
		}
	}
	helpers := newGoHelpers()
	for _, p := range f.Products {
		factors := make([]string, len(p.Factors))
		for k := range p.Factors {
			x := &p.Factors[k]
			if factors[k], err = helpers.factor(x, f.Terms[x.Term], "r."+fields[x.Term]); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&b, "m += %s * ((%s - %s) / %s)\n", goNumber(p.Weight), strings.Join(factors, " * "), goNumber(p.Shift), goNumber(p.Scale))
	}
	if isBinary(f) {
		b.WriteString("if m >= 0 {\nreturn 1 / (1 + math.Exp(-m))\n}\nif m < 0 {\ne := math.Exp(m)\nreturn e / (1 + e)\n}\nreturn math.NaN()\n}\n")
	} else {
		value := fmt.Sprintf("%s + %s*m", goNumber(f.Target.Shift), goNumber(f.Target.Scale))
		switch f.Target.Transform {
		case "log":
			value = fmt.Sprintf("%s * math.Exp(%s)", goNumber(f.Target.Factor()), value)
		case "log1p":
			value = fmt.Sprintf("%s*math.Exp(%s) - 1", goNumber(f.Target.Factor()), value)
		}
		fmt.Fprintf(&b, "if m != m {\nreturn math.NaN()\n}\nreturn %s\n}\n", value)
	}
	helpers.writeTo(&b)
	return format.Source(b.Bytes())
}

func goTerm(b *bytes.Buffer, field string, t score.Term) error {
	if t.Kind == score.Numeric {
		v := field
		if t.Fill != nil {
			fmt.Fprintf(b, "if v := %s; v != v {\nm += %s\n} else {\n", field, goNumber(t.Weight*((*t.Fill-t.Shift)/t.Scale)))
			v = "v"
		}
		fmt.Fprintf(b, "m += %s * ((%s - %s) / %s)\n", goNumber(t.Weight), v, goNumber(t.Shift), goNumber(t.Scale))
		if t.Fill != nil {
			b.WriteString("}\n")
		}
		return nil
	}
	numeric := t.Stored == score.Numeric && t.Kind == score.Categorical
	v := field
	if t.Null && numeric {
		fmt.Fprintf(b, "if %s != %s {\nm += %s\n} else {\n", field, field, goNumber(t.Missing))
	} else if t.Null {
		fmt.Fprintf(b, "if %s == nil {\nm += %s\n} else {\n", field, goNumber(t.Missing))
		v = "*" + field
	}
	if t.Kind == score.Bool {
		no, yes := boolWeights(t)
		fmt.Fprintf(b, "if %s {\nm += %s\n} else {\nm += %s\n}\n", v, goNumber(yes), goNumber(no))
	} else {
		fmt.Fprintf(b, "switch %s {\n", v)
		values := []float64(nil)
		if numeric {
			var err error
			if values, err = levelNumbers(t); err != nil {
				return err
			}
		}
		for i, l := range t.Levels {
			key := strconv.Quote(l)
			if numeric {
				key = goNumber(values[i])
			}
			fmt.Fprintf(b, "case %s:\nm += %s\n", key, goNumber(t.Weights[i]))
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

// goFields names the fields of Row after the columns.
func goFields(f *score.Formula) []string {
	used, out := names{}, make([]string, len(f.Terms))
	for i, t := range f.Terms {
		var b strings.Builder
		up := true
		for _, r := range t.Column {
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
	}
	return out
}
