package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drotrain/drotrain/train/score"
)

// A sqlWriter writes the query of a model in a dialect.
type sqlWriter struct {
	*dialect
	*model
	table    string
	columns  []string   // expression of each column
	literals [][]string // literals of the levels of each category
	// rewritten holds, for each text category, the literals that its levels become if they are read as numbers,
	// bools or dates. shared reports, for each level, whether a different level becomes this one.
	rewritten [][]string
	shared    [][]bool
	used      names // names of columns, as the dialect compares them
	b         strings.Builder
}

// encodeSQL returns a SELECT statement that adds the score to the rows of a table or, for more than two classes, all
// probabilities and the most probable class. The score is null if a number is NaN, infinite, too large, or null
// without a fill, since some databases sort NaN above all numbers, and in others an overflow in one row makes the
// whole query fail.
func (m *model) encodeSQL(o Options) ([]byte, error) {
	d, err := findDialect(o.Dialect)
	if err != nil {
		return nil, err
	}
	w := &sqlWriter{dialect: d, model: m, table: o.Table, used: names{}}
	if w.table == "" {
		w.table = "data"
	}
	if strings.ContainsAny(w.table, ";\n") {
		return nil, fmt.Errorf("%q is not the name of a table: quote a name with special characters as in SQL", o.Table)
	}
	for _, c := range m.inputs() {
		if w.used[d.foldName(c)] {
			return nil, fmt.Errorf("the columns %q differ only in case, which %s ignores", c, d.name)
		}
		w.used[d.foldName(c)] = true
	}
	for i := range m.columns {
		if err := w.addColumn(&m.columns[i]); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&w.b, "-- %s\n", m.describeScore())
	w.describeText()
	switch {
	case len(m.constant) > 1:
		err = w.selectClasses()
	case m.isBinary():
		w.selectProbability()
	default:
		w.selectValue()
	}
	return []byte(w.b.String()), err
}

// addColumn adds the expressions of a column and of its levels.
func (w *sqlWriter) addColumn(c *column) error {
	expression, err := w.identifier(c.inputName())
	if err != nil {
		return err
	}
	if c.Vector != "" {
		if w.entry == "" {
			return fmt.Errorf("the column %q holds vectors, which %s does not support: use a dialect that does (%s), or "+
				"the format onnx", c.Vector, w.name, strings.Join(vectorDialects(), ", "))
		}
		expression = fmt.Sprintf(w.entry, expression, c.entry+w.first)
	}
	if len(c.Renamed) > 0 {
		renamed := "CASE " + expression
		for _, r := range c.Renamed {
			to := "NULL"
			if r.To != nil {
				to = w.numeral(*r.To)
			}
			renamed += fmt.Sprintf(" WHEN %s THEN %s", w.numeral(r.From), to)
		}
		expression = renamed + " ELSE " + expression + " END"
	}
	literals := make([]string, len(c.Levels))
	for k, l := range c.Levels {
		if c.numbers != nil {
			literals[k] = w.numeral(c.numbers[k])
		} else if literals[k], err = w.quoteText(w.literal, l); err != nil {
			return fmt.Errorf("column %q: %w", c.Column, err)
		}
	}
	var rewritten []string
	shared := make([]bool, len(c.Levels))
	if c.Kind == score.Categorical && !c.holdsNumbers() {
		for _, l := range rewriteLevels(c.Levels) {
			if at := slices.Index(c.Levels, l); at >= 0 {
				shared[at] = w.isText != ""
				continue
			}
			literal, err := w.quoteText(w.literal, l)
			if err != nil {
				return fmt.Errorf("column %q: %w", c.Column, err)
			}
			rewritten = append(rewritten, literal)
		}
	}
	w.columns, w.literals, w.rewritten = append(w.columns, expression), append(w.literals, literals), append(w.rewritten,
		rewritten)
	w.shared = append(w.shared, shared)
	return nil
}

// unique returns a name that is not the name of a column.
func (w *sqlWriter) unique(name string) string {
	for w.used[w.foldName(name)] {
		name += "_"
	}
	w.used[w.foldName(name)] = true
	return name
}

// A step is a query in a WITH clause that adds columns to the rows of the table or of the preceding step.
type step struct{ name, columns string }

// write writes a query that adds columns after the given steps. It makes the names of the steps differ from that of
// the table.
func (w *sqlWriter) write(columns string, before ...step) {
	from := w.table
	var with []string
	for _, s := range before {
		query := fmt.Sprintf("SELECT *, %s\nFROM %s", s.columns, from)
		for from = s.name; strings.Contains(strings.ToLower(w.table), from); {
			from += "_"
		}
		with = append(with, fmt.Sprintf("%s AS (\n%s\n)", from, query))
	}
	if with != nil {
		fmt.Fprintf(&w.b, "WITH %s\n", strings.Join(with, ", "))
	}
	fmt.Fprintf(&w.b, "SELECT *, %s\nFROM %s;\n", columns, from)
}

// selectValue writes the query of a numeric target.
func (w *sqlWriter) selectValue() {
	score := w.unique(w.scoreName())
	value := fmt.Sprintf("%s + %s * (\n%s\n)", w.numeral(w.Shift), w.numeral(w.Scale), w.marginExpr(0))
	if w.Transform == "" {
		w.write(value + " AS " + score)
		return
	}
	// The exponential, multiplied by its factor, does not overflow.
	factor, l := w.Factor(), w.unique("log_prediction")
	w.write(fmt.Sprintf(`CASE
  WHEN %[1]s < %[2]s THEN %[3]s
  WHEN %[1]s <= %[4]s THEN %[5]s * EXP(%[1]s) - %[6]s
END AS %[7]s`, l, w.numeral(-700-math.Log(min(1, factor))), w.numeral(-w.subtrahend()),
		w.numeral(700-math.Log(max(1, factor))), w.numeral(factor), w.numeral(w.subtrahend()), score),
		step{"scored", value + " AS " + l})
}

// selectProbability writes the query of a target of two classes.
func (w *sqlWriter) selectProbability() {
	score, m := w.unique(w.scoreName()), w.unique("margin")
	// The exponential does not overflow, which many databases report as an error.
	w.write(fmt.Sprintf(`CASE
  WHEN %[1]s >= 40 THEN %[2]s
  WHEN %[1]s >= 0 THEN %[2]s / (%[2]s + EXP(-%[1]s))
  WHEN %[1]s > -700 THEN EXP(%[1]s) / (%[2]s + EXP(%[1]s))
  WHEN %[1]s <= -700 THEN %[3]s
END AS %[4]s`, m, w.numeral(1), w.numeral(0), score),
		step{"scored", fmt.Sprintf("(\n%s\n) AS %s", w.marginExpr(0), m)})
}

// selectClasses writes the query for more than two classes. It computes the margins, their maximum, the logarithm
// of the sum of exponentials, and the probabilities.
func (w *sqlWriter) selectClasses() error {
	label, total, largest := w.unique("prediction"), w.unique("margin_total"), w.unique("margin_max")
	exponential := func(margin, less string) string {
		return fmt.Sprintf("CASE WHEN %[1]s - %[2]s > -700 THEN EXP(%[1]s - %[2]s) WHEN %[1]s - %[2]s <= -700 THEN %[3]s END",
			margin, less, w.numeral(0))
	}
	var names, margins, sum, out []string
	choice := "CASE"
	for c, class := range w.Classes {
		name := w.unique(fmt.Sprintf("margin_%d", c+1))
		probability, err := w.identifier(w.unique("probability_" + class))
		if err != nil {
			return err
		}
		text, err := w.quoteText("'%s'", class)
		if err != nil {
			return err
		}
		names, margins = append(names, name), append(margins, fmt.Sprintf("(\n%s\n) AS %s", w.marginExpr(c), name))
		sum, out = append(sum, exponential(name, largest)), append(out, exponential(name, total)+" AS "+probability)
		choice += fmt.Sprintf("\n    WHEN %s = %s THEN %s", name, largest, text)
	}
	w.write(strings.Join(append(out, choice+"\n  END AS "+label), ",\n  "),
		step{"margins", strings.Join(margins, ", ")},
		step{"largest", w.largestOf(names) + " AS " + largest},
		step{"totals", fmt.Sprintf("%s + %s(\n  %s\n) AS %s", largest, w.log, sumOf(sum), total)})
	return nil
}

// maxOperands is the maximum number of operands in a chain, since databases limit the depth of expressions.
const maxOperands = 50

// largestOf returns an expression for the largest of several columns, which are null in the same rows.
func (w *sqlWriter) largestOf(columns []string) string {
	switch {
	case w.greatest == "":
		return "(SELECT MAX(v) FROM (VALUES (" + strings.Join(columns, "), (") + ")) AS m(v))"
	case len(columns) <= maxOperands:
		return w.greatest + "(" + strings.Join(columns, ", ") + ")"
	}
	return w.greatest + "(" + w.largestOf(columns[:maxOperands]) + ", " + w.largestOf(columns[maxOperands:]) + ")"
}

// sumOf returns an expression for the sum of expressions.
func sumOf(terms []string) string {
	for len(terms) > maxOperands {
		var blocks []string
		for block := range slices.Chunk(terms, maxOperands) {
			blocks = append(blocks, "(\n  "+strings.Join(block, "\n  + ")+"\n  )")
		}
		terms = blocks
	}
	return strings.Join(terms, "\n  + ")
}

// marginExpr returns an expression for the margin of an output.
func (w *sqlWriter) marginExpr(output int) string {
	terms := []string{w.numeral(w.constant[output])}
	for _, p := range w.parts {
		if p.factors == nil {
			terms = append(terms, w.levelWeight(p, output))
			continue
		}
		factors := make([]string, len(p.factors))
		for k := range p.factors {
			factors[k] = w.factorExpr(&p.factors[k])
		}
		terms = append(terms, fmt.Sprintf("%s * ((%s - %s) / %s)", w.numeral(p.weights[output]), strings.Join(factors, " * "),
			w.numeral(p.shift), w.numeral(p.scale)))
	}
	return "  " + sumOf(terms)
}

// levelWeight returns an expression for the weight of the level of a category.
func (w *sqlWriter) levelWeight(p part, output int) string {
	c, name := &w.model.columns[p.column], w.columns[p.column]
	weight := func(level int) string { return w.numeral(p.levels[level][output]) }
	var b strings.Builder
	fmt.Fprintf(&b, "CASE WHEN %s IS NULL THEN %s", name, weight(len(c.Levels)))
	if c.Kind == score.Bool {
		for k := range c.Levels {
			fmt.Fprintf(&b, " WHEN %s THEN %s", w.levelCondition(p.column, k), weight(k))
		}
		return b.String() + " END"
	}
	if len(w.literals[p.column]) == 0 { // all levels were rare
		return fmt.Sprintf("%s ELSE %s END", b.String(), w.numeral(0))
	}
	fmt.Fprintf(&b, " ELSE CASE %s", w.valueExpr(p.column))
	for k, literal := range w.literals[p.column] {
		score := weight(k)
		if w.shared[p.column][k] {
			score = fmt.Sprintf("CASE WHEN %s THEN %s END", fmt.Sprintf(w.isText, name), score)
		}
		fmt.Fprintf(&b, "\n      WHEN %s THEN %s", literal, score)
	}
	for _, literal := range w.rewritten[p.column] {
		fmt.Fprintf(&b, "\n      WHEN %s THEN NULL", literal)
	}
	fmt.Fprintf(&b, "\n      ELSE %s END END", w.numeral(0))
	return b.String()
}

// describeText writes a comment that names the columns that must be read as text.
func (w *sqlWriter) describeText() {
	var names, types []string
	plain := true
	for i := range w.model.columns {
		c := &w.model.columns[i]
		if c.Kind != score.Categorical || c.holdsNumbers() {
			continue
		}
		names = append(names, strconv.Quote(c.Column))
		types = append(types, "'"+strings.ReplaceAll(c.Column, "'", "''")+"': 'VARCHAR'")
		plain = plain && !strings.ContainsAny(c.Column, "\r\n")
	}
	if names == nil {
		return
	}
	fmt.Fprintf(&w.b, "-- Read these columns as text, not as numbers, dates or truth values: %s.\n",
		strings.Join(names, ", "))
	if w.sniffs && plain {
		fmt.Fprintf(&w.b, "-- From a CSV file: read_csv('data.csv', types={%s})\n", strings.Join(types, ", "))
	}
}

// rewriteLevels returns the strings that levels become in a database that reads them as numbers, bools, dates or
// times, such as 2134 for 02134. Such a value has no score, since its level cannot be recovered. If it is equal to
// a different level, as 1 is if 01 and 1 are levels, it only has a score if the column is text.
func rewriteLevels(levels []string) []string {
	var out []string
	for _, l := range levels {
		for _, s := range storedForms(strings.TrimSpace(l)) {
			if s != l && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// storedForms returns the strings that a database writes for a string that it has read as a number, a bool, a date or a
// time.
func storedForms(text string) (out []string) {
	if b := strings.ToLower(text); b == "true" || b == "false" {
		out = append(out, b)
	}
	for _, layout := range []string{"2006-1-2", "2006/1/2", "1/2/2006", "2/1/2006", "1-2-2006", "2-1-2006", "2.1.2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			out = append(out, t.Format(time.DateOnly), t.Format(time.DateTime))
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			out = append(out, t.Format(time.DateTime))
		}
	}
	if t, err := time.Parse("15:04", text); err == nil {
		out = append(out, t.Format(time.TimeOnly))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(text, "xX_") {
		return out
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if digits := strings.TrimLeft(text, "0"); digits != "" && strings.Trim(digits, "0123456789") == "" {
		s = digits // exact, even beyond 2^53
	}
	out = append(out, s)
	if !strings.Contains(s, ".") {
		out = append(out, s+".0") // the column holds floats
	}
	return out
}

// valueExpr returns an expression for a column as a number or a text.
func (w *sqlWriter) valueExpr(column int) string {
	c, name := &w.model.columns[column], w.columns[column]
	switch {
	case c.Date:
		return fmt.Sprintf(w.days, name)
	case c.holdsNumbers():
		return fmt.Sprintf(w.double, name)
	}
	return fmt.Sprintf(w.text, name)
}

// levelCondition returns the condition that a column has a given level; the index after the last level denotes nulls.
func (w *sqlWriter) levelCondition(column, level int) string {
	c, name := &w.model.columns[column], w.columns[column]
	switch {
	case level == len(c.Levels):
		return name + " IS NULL"
	case c.Kind == score.Bool && c.Levels[level] == "true":
		return fmt.Sprintf(w.isTrue, name)
	case c.Kind == score.Bool:
		return fmt.Sprintf(w.isFalse, name)
	}
	return w.valueExpr(column) + " = " + w.literals[column][level]
}

// tiny is a bound below which numbers are replaced by 0, for databases in which a product that underflows is an
// error. It is too small to affect a score.
const tiny = 1e-150

// factorExpr returns an expression for a factor. It is null outside the domain of the factor's function, and if a
// number is NaN or too large.
func (w *sqlWriter) factorExpr(x *score.Factor) string {
	c, v := &w.model.columns[x.Term], w.valueExpr(x.Term)
	if c.Kind != score.Numeric {
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", w.levelCondition(x.Term, x.Level), w.numeral(1), w.numeral(0))
	}
	var b strings.Builder
	b.WriteString("CASE")
	if w.underflows && x.Function.Name != "log" {
		fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, w.numeral(-tiny), w.numeral(tiny), w.numeral(0))
	}
	most := w.largestWithoutOverflow(x.Term)
	fmt.Fprintf(&b, " WHEN %s BETWEEN %s AND %s THEN %s", v, w.numeral(-most), w.numeral(most), v)
	if c.Fill != nil {
		fmt.Fprintf(&b, " WHEN %s IS NULL THEN %s", w.columns[x.Term], w.numeral(*c.Fill))
	}
	b.WriteString(" END")
	return w.functionExpr(&x.Function, b.String())
}

// largestWithoutOverflow returns the largest absolute value of a numeric column for which no margin overflows.
func (m *model) largestWithoutOverflow(column int) float64 {
	const sum = math.MaxFloat64 / 1e4 // bound for the sum of up to 10⁴ parts
	bound := sum / max(1, m.Scale)
	most := bound
	for _, p := range m.parts {
		degree, used := 0.0, false
		size := bound * min(1, p.scale)
		for k := range p.factors {
			x := &p.factors[k]
			used = used || x.Term == column
			switch f := &x.Function; {
			case m.columns[x.Term].Kind != score.Numeric || strings.HasPrefix(f.Name, "log"):
			case f.Name == "square":
				degree += 2
			case f.Name == "piecewise":
				degree++
				size /= max(1, math.Abs(f.Below[1]), math.Abs(f.Above[1]))
			default:
				degree++
			}
		}
		for _, weight := range p.weights {
			if used && degree > 0 {
				most = min(most, math.Pow(size/max(1, math.Abs(weight)), 1/degree))
			}
		}
	}
	return most
}

// functionExpr returns an expression for f of the expression v.
func (w *sqlWriter) functionExpr(f *score.Function, v string) string {
	n := w.numeral
	switch f.Name {
	case "log":
		return fmt.Sprintf("CASE WHEN %[1]s > %[2]s THEN %[3]s(%[1]s) END", v, n(0), w.log)
	case "log1p": // compute log(1+v) without losing digits of a small v, by correcting for the rounding of 1+v
		return fmt.Sprintf("CASE WHEN %[1]s <= %[2]s THEN NULL WHEN %[3]s + %[1]s = %[3]s THEN %[1]s ELSE %[4]s(%[3]s + "+
			"%[1]s) * (%[1]s / ((%[3]s + %[1]s) - %[3]s)) END", v, n(-1), n(1), w.log)
	case "square":
		return fmt.Sprintf("%[1]s * %[1]s", v)
	case "piecewise":
		var b strings.Builder
		b.WriteString("CASE")
		for _, p := range piecesOf(f) {
			condition := v + " < " + n(p.until)
			if math.IsInf(p.until, 1) {
				condition = v + " >= " + n(p.base) // the condition is false for nulls
			}
			fmt.Fprintf(&b, "\n      WHEN %s THEN %s", condition,
				w.polynomialExpr(fmt.Sprintf("(%s - %s)", v, n(p.base)), p.coefficients))
		}
		b.WriteString(" END")
		return b.String()
	}
	return v
}

// polynomialExpr returns c[0] + u * (c[1] + u * (…)).
func (w *sqlWriter) polynomialExpr(u string, c []float64) string {
	if len(c) == 1 {
		return w.numeral(c[0])
	}
	rest := w.polynomialExpr(u, c[1:])
	if len(c) > 2 {
		rest = "(" + rest + ")"
	}
	return fmt.Sprintf("%s + %s * %s", w.numeral(c[0]), u, rest)
}
