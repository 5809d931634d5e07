package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// A dialect is how a database writes what the formula needs.
type dialect struct {
	double, text, boolean string // types
	quote                 string // of identifiers
	suffix                string // makes a literal a double
	escapes               bool   // text literals escape by backslash
	foldsCase             bool   // identifiers that differ in case alone are one
	underflows            bool   // a product that rounds to 0 is an error
	days                  string // a date or time %s as days since 1970-01-01
}

var dialects = map[string]dialect{
	"duckdb":   {double: "DOUBLE", text: "VARCHAR", boolean: "BOOLEAN", quote: `"`, foldsCase: true, days: "CAST(EXTRACT(EPOCH FROM %s) AS DOUBLE) / 86400"},
	"postgres": {double: "DOUBLE PRECISION", text: "TEXT", boolean: "BOOLEAN", quote: `"`, suffix: "::float8", underflows: true, days: "CAST(EXTRACT(EPOCH FROM %s) AS DOUBLE PRECISION) / 86400"},
	"bigquery": {double: "FLOAT64", text: "STRING", boolean: "BOOL", quote: "`", escapes: true, foldsCase: true, days: "UNIX_MICROS(TIMESTAMP(%s)) / 86400000000"},
}

// Dialects lists the dialects of SQL.
func Dialects() []string { return []string{"duckdb", "postgres", "bigquery"} }

// sqlSelect returns one SELECT that adds the score to the rows of a table. The score is
// null where a number is NaN, infinite, too large for the arithmetic, or null without a
// fill: some databases order NaN above every number, and some fail the whole query where
// one row overflows.
func sqlSelect(f *score.Formula, o Options) ([]byte, error) {
	if o.Dialect == "" {
		o.Dialect = "duckdb"
	}
	d, ok := dialects[o.Dialect]
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q: the dialects are %s", o.Dialect, strings.Join(Dialects(), ", "))
	}
	if o.Table == "" {
		o.Table = "data"
	}
	if strings.ContainsAny(o.Table, ";\n") {
		return nil, fmt.Errorf("the table %q: give the name of a table, quoted as in SQL where it needs that", o.Table)
	}
	used := names{}
	for _, t := range f.Terms {
		name := t.Column
		if d.foldsCase {
			name = strings.ToLower(name)
		}
		if used[name] {
			return nil, fmt.Errorf("the columns called %q differ in case alone, which %s ignores", t.Column, o.Dialect)
		}
		used[name] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s\n", oneLine(header(f)))
	margin, err := d.margin(f)
	if err != nil {
		return nil, err
	}
	score := used.unique(scoreName(f))
	if !isBinary(f) {
		value := fmt.Sprintf("%s + %s * (\n%s\n)", d.number(f.Target.Shift), d.number(f.Target.Scale), margin)
		if f.Target.Transform == "" {
			fmt.Fprintf(&b, "SELECT *, %s AS %s\nFROM %s;\n", value, score, o.Table)
			return []byte(b.String()), nil
		}
		less := 0.0
		if f.Target.Transform == "log1p" {
			less = 1
		}
		// The exponential, times its factor, stays in its range.
		factor, l := f.Target.Factor(), used.unique("log_prediction")
		fmt.Fprintf(&b, "WITH scored AS (\nSELECT *, %s AS %s\nFROM %s\n)\n", value, l, o.Table)
		fmt.Fprintf(&b, `SELECT *, CASE
  WHEN %[1]s < %[2]s THEN %[3]s
  WHEN %[1]s <= %[4]s THEN %[5]s * EXP(%[1]s) - %[6]s
END AS %[7]s
FROM scored;
`, l, d.number(-700-math.Log(min(1, factor))), d.number(-less), d.number(700-math.Log(max(1, factor))), d.number(factor), d.number(less), score)
		return []byte(b.String()), nil
	}
	m := used.unique("margin")
	fmt.Fprintf(&b, "WITH scored AS (\nSELECT *, (\n%s\n) AS %s\nFROM %s\n)\n", margin, m, o.Table)
	// The exponential stays in its range: databases make an error of what leaves it.
	fmt.Fprintf(&b, `SELECT *, CASE
  WHEN %[1]s >= 40 THEN %[2]s
  WHEN %[1]s >= 0 THEN %[2]s / (%[2]s + EXP(-%[1]s))
  WHEN %[1]s > -700 THEN EXP(%[1]s) / (%[2]s + EXP(%[1]s))
  WHEN %[1]s <= -700 THEN %[3]s
END AS %[4]s
FROM scored;
`, m, d.number(1), d.number(0), score)
	return []byte(b.String()), nil
}

func (d dialect) margin(f *score.Formula) (string, error) {
	lines := []string{"  " + d.number(f.Constant)}
	for i, t := range f.Terms {
		column, err := d.identifier(t.Column)
		if err != nil {
			return "", err
		}
		switch {
		case alone(f, i):
			continue
		case t.Kind == score.Numeric:
			lines = append(lines, fmt.Sprintf("%s * ((%s - %s) / %s)", d.number(t.Weight), d.value(f, i, column, ""), d.number(t.Shift), d.number(t.Scale)))
			continue
		case t.Kind == score.Bool:
			no, yes := boolWeights(t)
			lines = append(lines, fmt.Sprintf("CASE WHEN %s IS NULL THEN %s WHEN CAST(%s AS %s) THEN %s ELSE %s END",
				column, d.number(t.Missing), column, d.boolean, d.number(yes), d.number(no)))
			continue
		}
		keys, cast := make([]string, len(t.Levels)), d.text
		if t.Stored == score.Numeric {
			cast = d.double
			values, err := levelNumbers(t)
			if err != nil {
				return "", err
			}
			for i, v := range values {
				keys[i] = d.number(v)
			}
		} else {
			for i, l := range t.Levels {
				if keys[i], err = d.literal(l); err != nil {
					return "", fmt.Errorf("column %q: %w", t.Column, err)
				}
			}
		}
		var c strings.Builder
		fmt.Fprintf(&c, "CASE WHEN %s IS NULL THEN %s ELSE CASE CAST(%s AS %s)", column, d.number(t.Missing), column, cast)
		for i, k := range keys {
			fmt.Fprintf(&c, "\n      WHEN %s THEN %s", k, d.number(t.Weights[i]))
		}
		fmt.Fprintf(&c, "\n      ELSE %s END END", d.number(0))
		lines = append(lines, c.String())
	}
	for _, p := range f.Products {
		factors := make([]string, len(p.Factors))
		for k := range p.Factors {
			var err error
			if factors[k], err = d.factor(f, &p.Factors[k]); err != nil {
				return "", err
			}
		}
		lines = append(lines, fmt.Sprintf("%s * ((%s - %s) / %s)", d.number(p.Weight), strings.Join(factors, " * "), d.number(p.Shift), d.number(p.Scale)))
	}
	return strings.Join(lines, "\n  + "), nil
}

// tiny is below what changes a score: numbers nearer to 0 count as 0 where a database
// makes an error of a product that rounds to 0.
const tiny = 1e-150

// value returns the expression of the number of a term, with nulls filled. It is null where
// the number is NaN or too large; function is what is applied to it.
func (d dialect) value(f *score.Formula, term int, column, function string) string {
	t := f.Terms[term]
	v := fmt.Sprintf("CAST(%s AS %s)", column, d.double)
	if t.Date {
		v = fmt.Sprintf(d.days, column)
	}
	var b strings.Builder
	b.WriteString("CASE")
	if d.underflows && function != "log" {
		fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, d.number(-tiny), d.number(tiny), d.number(0))
	}
	most := largest(f, term)
	fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, d.number(-most), d.number(most), v)
	if t.Fill != nil {
		fmt.Fprintf(&b, " WHEN %s IS NULL THEN %s", column, d.number(*t.Fill))
	}
	b.WriteString(" END")
	return b.String()
}

// largest returns the size up to which a number of a term lets nothing in the formula overflow.
func largest(f *score.Formula, term int) float64 {
	const sum = math.MaxFloat64 / 1e4 // of up to as many terms
	bound := sum / max(1, f.Target.Scale)
	within := func(weight, scale float64) float64 {
		return bound * min(1, scale) / max(1, math.Abs(weight))
	}
	t := f.Terms[term]
	most := within(t.Weight, t.Scale)
	for i := range f.Products {
		p := &f.Products[i]
		size, degree := within(p.Weight, p.Scale), 0.0
		used := false
		for k := range p.Factors {
			x := &p.Factors[k]
			used = used || x.Term == term
			switch g := &x.Function; {
			case f.Terms[x.Term].Kind != score.Numeric || strings.HasPrefix(g.Name, "log"):
			case g.Name == "square":
				degree += 2
			case g.Name == "piecewise":
				degree++
				size /= max(1, math.Abs(g.Below[1]), math.Abs(g.Above[1]))
			default:
				degree++
			}
		}
		if used && degree > 0 {
			most = min(most, math.Pow(size, 1/degree))
		}
	}
	return most
}

// factor is null where the function has no value, as the score then is.
func (d dialect) factor(f *score.Formula, x *score.Factor) (string, error) {
	t := f.Terms[x.Term]
	column, err := d.identifier(t.Column)
	if err != nil {
		return "", err
	}
	if t.Kind == score.Numeric {
		return d.function(&x.Function, d.value(f, x.Term, column, x.Function.Name)), nil
	}
	is := column + " IS NULL"
	if x.Level < len(t.Levels) {
		switch {
		case t.Kind == score.Bool && t.Levels[x.Level] == "true":
			is = fmt.Sprintf("CAST(%s AS %s)", column, d.boolean)
		case t.Kind == score.Bool:
			is = fmt.Sprintf("NOT CAST(%s AS %s)", column, d.boolean)
		case t.Stored == score.Numeric:
			values, err := levelNumbers(t)
			if err != nil {
				return "", err
			}
			is = fmt.Sprintf("CAST(%s AS %s) = %s", column, d.double, d.number(values[x.Level]))
		default:
			key, err := d.literal(t.Levels[x.Level])
			if err != nil {
				return "", fmt.Errorf("column %q: %w", t.Column, err)
			}
			is = fmt.Sprintf("CAST(%s AS %s) = %s", column, d.text, key)
		}
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", is, d.number(1), d.number(0)), nil
}

// function returns f of the expression v.
func (d dialect) function(f *score.Function, v string) string {
	n := d.number
	switch f.Name {
	case "log":
		return fmt.Sprintf("CASE WHEN %[1]s > %[2]s THEN LN(%[1]s) END", v, n(0))
	case "log1p": // log(1+v) keeps the digits of a small v by the rounding of 1+v
		return fmt.Sprintf("CASE WHEN %[1]s <= %[2]s THEN NULL WHEN %[3]s + %[1]s = %[3]s THEN %[1]s ELSE LN(%[3]s + %[1]s) * (%[1]s / ((%[3]s + %[1]s) - %[3]s)) END", v, n(-1), n(1))
	case "square":
		return fmt.Sprintf("%[1]s * %[1]s", v)
	case "piecewise":
		var b strings.Builder
		last := len(f.Knots) - 1
		linear := func(c [2]float64, knot float64) string {
			return fmt.Sprintf("%s + %s * (%s - %s)", n(c[0]), n(c[1]), v, n(knot))
		}
		fmt.Fprintf(&b, "CASE WHEN %s < %s THEN %s", v, n(f.Knots[0]), linear(f.Below, f.Knots[0]))
		for k, c := range f.Pieces {
			u := fmt.Sprintf("(%s - %s)", v, n(f.Knots[k]))
			fmt.Fprintf(&b, "\n      WHEN %[1]s < %[2]s THEN %[3]s + %[4]s * (%[5]s + %[4]s * (%[6]s + %[4]s * %[7]s))", v, n(f.Knots[k+1]), n(c[0]), u, n(c[1]), n(c[2]), n(c[3]))
		}
		fmt.Fprintf(&b, "\n      WHEN %s >= %s THEN %s END", v, n(f.Knots[last]), linear(f.Above, f.Knots[last]))
		return b.String()
	}
	return v
}

// number writes a double that reads back the same. An exponent keeps it from
// being a decimal of fixed point.
func (d dialect) number(v float64) string {
	s := strconv.FormatFloat(v, 'e', -1, 64) + d.suffix
	if v < 0 {
		return "(" + s + ")"
	}
	return s
}

func (d dialect) identifier(name string) (string, error) {
	if strings.ContainsRune(name, 0) || d.escapes && strings.ContainsAny(name, "`\\\n") {
		return "", fmt.Errorf("no column can be called %q there", name)
	}
	return d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote, nil
}

func (d dialect) literal(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", fmt.Errorf("the level %q has a character that no text there has", s)
	}
	if d.escapes {
		s = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s)
		return "'" + s + "'", nil
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'", nil
}
