package export

import (
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// A sqlWriter writes the queries of a model in a dialect.
type sqlWriter struct {
	*dialect
	formulas []*score.Formula // one, or one a class
	table    string
	used     names // of columns, as the dialect compares them
	b        strings.Builder
}

// sqlSelect returns one SELECT that adds to the rows of a table the score or, for more than two classes, all
// probabilities and the most probable class. The score is null if a number is NaN, infinite, too large, or null
// without a fill, since some databases sort NaN above all numbers and some fail the whole query if one row
// overflows.
func sqlSelect(formulas []*score.Formula, o Options) ([]byte, error) {
	d, err := findDialect(o.Dialect)
	if err != nil {
		return nil, err
	}
	w := &sqlWriter{dialect: d, formulas: formulas, table: o.Table, used: names{}}
	if w.table == "" {
		w.table = "data"
	}
	if strings.ContainsAny(w.table, ";\n") {
		return nil, fmt.Errorf("the table %q: give the name of a table, quoted as in SQL where it needs that", o.Table)
	}
	f := formulas[0]
	for _, c := range inputColumns(f) {
		if w.used[d.fold(c)] {
			return nil, fmt.Errorf("the columns called %q differ in case alone, which %s ignores", c, d.name)
		}
		w.used[d.fold(c)] = true
	}
	fmt.Fprintf(&w.b, "-- %s\n", oneLine(describeScore(f)))
	margins := make([]string, len(formulas))
	for c := range margins {
		if margins[c], err = w.marginExpression(c); err != nil {
			return nil, err
		}
	}
	switch {
	case len(formulas) > 1:
		err = w.selectClasses(margins)
	case isBinary(f):
		w.selectProbability(margins[0])
	default:
		w.selectValue(margins[0])
	}
	return []byte(w.b.String()), err
}

// unique returns a name that is not the name of a column.
func (w *sqlWriter) unique(name string) string {
	for w.used[w.fold(name)] {
		name += "_"
	}
	w.used[w.fold(name)] = true
	return name
}

// step returns a name for a query of the WITH clause that differs from the table's name.
func (w *sqlWriter) step(name string) string {
	for strings.Contains(strings.ToLower(w.table), name) {
		name += "_"
	}
	return name
}

// selectValue writes the query of a numeric target.
func (w *sqlWriter) selectValue(margin string) {
	t := &w.formulas[0].Target
	score := w.unique(scoreName(w.formulas[0]))
	value := fmt.Sprintf("%s + %s * (\n%s\n)", w.numeral(t.Shift), w.numeral(t.Scale), margin)
	if t.Transform == "" {
		fmt.Fprintf(&w.b, "SELECT *, %s AS %s\nFROM %s;\n", value, score, w.table)
		return
	}
	less := 0.0
	if t.Transform == "log1p" {
		less = 1
	}
	// The exponential, times its factor, stays in its range.
	factor, l, scored := t.Factor(), w.unique("log_prediction"), w.step("scored")
	fmt.Fprintf(&w.b, "WITH %s AS (\nSELECT *, %s AS %s\nFROM %s\n)\n", scored, value, l, w.table)
	fmt.Fprintf(&w.b, `SELECT *, CASE
  WHEN %[1]s < %[2]s THEN %[3]s
  WHEN %[1]s <= %[4]s THEN %[5]s * EXP(%[1]s) - %[6]s
END AS %[7]s
FROM %[8]s;
`, l, w.numeral(-700-math.Log(min(1, factor))), w.numeral(-less), w.numeral(700-math.Log(max(1, factor))), w.numeral(factor), w.numeral(less), score, scored)
}

// selectProbability writes the query of a target of two classes.
func (w *sqlWriter) selectProbability(margin string) {
	score, m, scored := w.unique(scoreName(w.formulas[0])), w.unique("margin"), w.step("scored")
	fmt.Fprintf(&w.b, "WITH %s AS (\nSELECT *, (\n%s\n) AS %s\nFROM %s\n)\n", scored, margin, m, w.table)
	// The exponential stays in its range: databases make an error of what leaves it.
	fmt.Fprintf(&w.b, `SELECT *, CASE
  WHEN %[1]s >= 40 THEN %[2]s
  WHEN %[1]s >= 0 THEN %[2]s / (%[2]s + EXP(-%[1]s))
  WHEN %[1]s > -700 THEN EXP(%[1]s) / (%[2]s + EXP(%[1]s))
  WHEN %[1]s <= -700 THEN %[3]s
END AS %[4]s
FROM %[5]s;
`, m, w.numeral(1), w.numeral(0), score, scored)
}

// selectClasses writes the query for more than two classes: the margins, their maximum, the logarithm of the
// sum of exponentials, and the probabilities.
func (w *sqlWriter) selectClasses(margins []string) error {
	classes := w.formulas[0].Target.Classes
	label, total, largest := w.unique("prediction"), w.unique("margin_total"), w.unique("margin_max")
	steps := []string{w.step("margins"), w.step("largest"), w.step("totals")}
	name := make([]string, len(margins))
	fmt.Fprintf(&w.b, "WITH %s AS (\nSELECT *", steps[0])
	for c, margin := range margins {
		name[c] = w.unique(fmt.Sprintf("margin_%d", c+1))
		fmt.Fprintf(&w.b, ", (\n%s\n) AS %s", margin, name[c])
	}
	exponential := func(margin, less string) string {
		return fmt.Sprintf("CASE WHEN %[1]s - %[2]s > -700 THEN EXP(%[1]s - %[2]s) WHEN %[1]s - %[2]s <= -700 THEN %[3]s END", margin, less, w.numeral(0))
	}
	sum := make([]string, len(margins))
	for c := range sum {
		sum[c] = exponential(name[c], largest)
	}
	fmt.Fprintf(&w.b, "\nFROM %s\n), %s AS (\nSELECT *, %s AS %s\nFROM %s\n)", w.table, steps[1], w.largestOf(name), largest, steps[0])
	fmt.Fprintf(&w.b, ", %s AS (\nSELECT *, %s + %s(\n  %s\n) AS %s\nFROM %s\n)\nSELECT *", steps[2], largest, w.log, sumOf(sum), total, steps[1])
	for c, class := range classes {
		column, err := w.identifier(w.unique("probability_" + class))
		if err != nil {
			return err
		}
		fmt.Fprintf(&w.b, ",\n  %s AS %s", exponential(name[c], total), column)
	}
	w.b.WriteString(",\n  CASE")
	for c, class := range classes {
		text, err := w.quoteText("'%s'", class)
		if err != nil {
			return err
		}
		fmt.Fprintf(&w.b, "\n    WHEN %s = %s THEN %s", name[c], largest, text)
	}
	fmt.Fprintf(&w.b, "\n  END AS %s\nFROM %s;\n", label, steps[2])
	return nil
}

// mostOperands is the largest number of operands in a chain: databases limit the depth of expressions.
const mostOperands = 50

// largestOf returns the largest of several columns, which are null together.
func (w *sqlWriter) largestOf(columns []string) string {
	switch {
	case w.greatest == "":
		return "(SELECT MAX(v) FROM (VALUES (" + strings.Join(columns, "), (") + ")) AS m(v))"
	case len(columns) <= mostOperands:
		return w.greatest + "(" + strings.Join(columns, ", ") + ")"
	}
	return w.greatest + "(" + w.largestOf(columns[:mostOperands]) + ", " + w.largestOf(columns[mostOperands:]) + ")"
}

// sumOf returns the sum of expressions.
func sumOf(terms []string) string {
	for len(terms) > mostOperands {
		var blocks []string
		for lo := 0; lo < len(terms); lo += mostOperands {
			blocks = append(blocks, "(\n  "+strings.Join(terms[lo:min(lo+mostOperands, len(terms))], "\n  + ")+"\n  )")
		}
		terms = blocks
	}
	return strings.Join(terms, "\n  + ")
}

// marginExpression returns the expression of the margin of an output.
func (w *sqlWriter) marginExpression(output int) (string, error) {
	f := w.formulas[output]
	terms := []string{w.numeral(f.Constant)}
	for i, t := range f.Terms {
		column, err := w.column(t)
		if err != nil {
			return "", err
		}
		switch {
		case onlyInProducts(w.formulas, i):
			continue
		case t.Kind == score.Numeric:
			terms = append(terms, fmt.Sprintf("%s * ((%s - %s) / %s)", w.numeral(t.Weight), w.valueExpression(i, column, ""), w.numeral(t.Shift), w.numeral(t.Scale)))
			continue
		case t.Kind == score.Bool:
			no, yes := boolWeights(t)
			terms = append(terms, fmt.Sprintf("CASE WHEN %s IS NULL THEN %s WHEN %s THEN %s WHEN %s THEN %s END",
				column, w.numeral(t.Missing), fmt.Sprintf(w.isTrue, column), w.numeral(yes), fmt.Sprintf(w.isFalse, column), w.numeral(no)))
			continue
		}
		keys, cast, err := w.levels(t)
		if err != nil {
			return "", err
		}
		var c strings.Builder
		fmt.Fprintf(&c, "CASE WHEN %s IS NULL THEN %s ELSE CASE %s", column, w.numeral(t.Missing), fmt.Sprintf(cast, column))
		for i, k := range keys {
			fmt.Fprintf(&c, "\n      WHEN %s THEN %s", k, w.numeral(t.Weights[i]))
		}
		fmt.Fprintf(&c, "\n      ELSE %s END END", w.numeral(0))
		terms = append(terms, c.String())
	}
	for _, p := range f.Products {
		factors := make([]string, len(p.Factors))
		for k := range p.Factors {
			var err error
			if factors[k], err = w.factorExpression(&p.Factors[k]); err != nil {
				return "", err
			}
		}
		terms = append(terms, fmt.Sprintf("%s * ((%s - %s) / %s)", w.numeral(p.Weight), strings.Join(factors, " * "), w.numeral(p.Shift), w.numeral(p.Scale)))
	}
	return "  " + sumOf(terms), nil
}

// levels returns the levels of a category as literals, and a format that casts the column to their type.
func (w *sqlWriter) levels(t score.Term) (literals []string, cast string, err error) {
	literals = make([]string, len(t.Levels))
	if t.Stored == score.Numeric {
		values, err := levelNumbers(t)
		if err != nil {
			return nil, "", err
		}
		for i, v := range values {
			literals[i] = w.numeral(v)
		}
		return literals, w.double, nil
	}
	for i, l := range t.Levels {
		if literals[i], err = w.quoteText(w.literal, l); err != nil {
			return nil, "", fmt.Errorf("column %q: %w", t.Column, err)
		}
	}
	return literals, w.text, nil
}

// tiny is a bound below which numbers count as 0, for databases in which a product that underflows is an error.
// It is too small to change a score.
const tiny = 1e-150

// valueExpression returns an expression for the number of a term with nulls filled. It is null if the number is
// NaN or too large for function, which is applied to it.
func (w *sqlWriter) valueExpression(term int, column, function string) string {
	t := w.formulas[0].Terms[term]
	v := fmt.Sprintf(w.double, column)
	if t.Date {
		v = fmt.Sprintf(w.days, column)
	}
	var b strings.Builder
	b.WriteString("CASE")
	if w.underflows && function != "log" {
		fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, w.numeral(-tiny), w.numeral(tiny), w.numeral(0))
	}
	most := largest(w.formulas, term)
	fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, w.numeral(-most), w.numeral(most), v)
	if t.Fill != nil {
		fmt.Fprintf(&b, " WHEN %s IS NULL THEN %s", column, w.numeral(*t.Fill))
	}
	b.WriteString(" END")
	return b.String()
}

// largest returns the largest absolute value of a term for which no formula overflows.
func largest(formulas []*score.Formula, term int) float64 {
	most := math.Inf(1)
	for _, f := range formulas {
		const sum = math.MaxFloat64 / 1e4 // of up to as many terms
		bound := sum / max(1, f.Target.Scale)
		within := func(weight, scale float64) float64 {
			return bound * min(1, scale) / max(1, math.Abs(weight))
		}
		t := f.Terms[term]
		most = min(most, within(t.Weight, t.Scale))
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
	}
	return most
}

// factorExpression returns an expression for a factor; it is null outside the domain of its function.
func (w *sqlWriter) factorExpression(x *score.Factor) (string, error) {
	t := w.formulas[0].Terms[x.Term]
	column, err := w.column(t)
	if err != nil {
		return "", err
	}
	if t.Kind == score.Numeric {
		return w.functionExpression(&x.Function, w.valueExpression(x.Term, column, x.Function.Name)), nil
	}
	is := column + " IS NULL"
	if x.Level < len(t.Levels) {
		switch {
		case t.Kind == score.Bool && t.Levels[x.Level] == "true":
			is = fmt.Sprintf(w.isTrue, column)
		case t.Kind == score.Bool:
			is = fmt.Sprintf(w.isFalse, column)
		default:
			keys, cast, err := w.levels(t)
			if err != nil {
				return "", err
			}
			is = fmt.Sprintf(cast, column) + " = " + keys[x.Level]
		}
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", is, w.numeral(1), w.numeral(0)), nil
}

// functionExpression returns f of the expression v.
func (w *sqlWriter) functionExpression(f *score.Function, v string) string {
	n := w.numeral
	switch f.Name {
	case "log":
		return fmt.Sprintf("CASE WHEN %[1]s > %[2]s THEN %[3]s(%[1]s) END", v, n(0), w.log)
	case "log1p": // log(1+v) keeps the digits of a small v by the rounding of 1+v
		return fmt.Sprintf("CASE WHEN %[1]s <= %[2]s THEN NULL WHEN %[3]s + %[1]s = %[3]s THEN %[1]s ELSE %[4]s(%[3]s + %[1]s) * (%[1]s / ((%[3]s + %[1]s) - %[3]s)) END", v, n(-1), n(1), w.log)
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
