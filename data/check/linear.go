package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/printable"
)

const (
	linearRows    = 4000 // maximum number of rows of a linear model
	linearColumns = 120  // maximum number of encoded columns
	linearLevels  = 30   // maximum number of levels of a text that is encoded
)

// A linear is a linear least-squares model on some rows of an examination, whose predictions are out of fold.
type linear struct {
	x      *examination
	logs   bool        // whether numbers are replaced by their logarithms
	places []int       // indices of the rows
	y      [][]float64 // centred targets of these rows, for each output
	parts  []*column   // source columns that are encoded
	source []int       // index into parts, for each encoded column
	design *mat.Dense  // rows × (encoded columns), centred and scaled
	gram   [folds]*mat.SymDense
	right  [folds][]*mat.VecDense // right-hand sides by fold and output
}

// newLinear encodes the features except those that are already known to leak, or their logarithms. It returns nil if
// there are none.
func (x *examination) newLinear(power map[*column]float64, without map[*column]bool, logs bool) *linear {
	m := &linear{x: x, logs: logs}
	n := min(len(x.known), linearRows)
	for i := range n {
		m.places = append(m.places, x.known[i*len(x.known)/n])
	}
	var features []*column
	for _, c := range x.columns {
		if x.roles.isFeature(c.Column) && !without[c] && c.distinct >= 1 {
			features = append(features, c)
		}
	}
	slices.SortStableFunc(features, func(a, b *column) int { return cmp.Compare(power[b], power[a]) })
	var encoded [][]float64
	most := min(linearColumns, n/5)
	for _, c := range features {
		if len(encoded) == most {
			break
		}
		added := m.encode(c)
		if len(added) == 0 || len(encoded)+len(added) > most {
			continue
		}
		for range added {
			m.source = append(m.source, len(m.parts))
		}
		m.parts, encoded = append(m.parts, c), append(encoded, added...)
	}
	if len(encoded) == 0 {
		return nil
	}
	m.design = mat.NewDense(n, len(encoded), nil)
	for j, v := range encoded {
		m.design.SetCol(j, v)
	}
	for _, y := range x.y {
		v := make([]float64, n)
		for k, i := range m.places {
			v[k] = y[i]
		}
		standardise(v, false)
		m.y = append(m.y, v)
	}
	m.sumProducts()
	return m
}

// encode returns the encoded columns of c: a number and an indicator of its nulls, or an indicator of each level.
func (m *linear) encode(c *column) (out [][]float64) {
	indicator := func(has func(i int) bool) {
		v, rows := make([]float64, len(m.places)), 0
		for k, i := range m.places {
			if has(i) {
				v[k] = 1
				rows++
			}
		}
		if rows >= folds && standardise(v, true) {
			out = append(out, v)
		}
	}
	if c.nulls > 0 {
		indicator(c.isMissing)
	}
	if c.number == nil {
		if len(c.values) > linearLevels {
			return nil
		}
		for k := range c.values {
			indicator(func(i int) bool { return c.index[i] == int32(k) })
		}
		return out
	}
	v, sum, n := make([]float64, len(m.places)), 0.0, 0.0
	for k, i := range m.places {
		if v[k] = c.number[i]; m.logs {
			v[k] = math.Log(v[k])
		}
		if !math.IsNaN(v[k]) {
			sum, n = sum+v[k], n+1
		}
	}
	for k := range v {
		if math.IsNaN(v[k]) {
			v[k] = sum / n
		}
	}
	if n > 0 && standardise(v, true) {
		out = append(out, v)
	}
	return out
}

// standardise centres v and, if scale is set, divides it by its standard deviation. It returns false if v is
// constant.
func standardise(v []float64, scale bool) bool {
	mean, largest := 0.0, 0.0
	for _, a := range v {
		mean += a / float64(len(v))
		largest = max(largest, math.Abs(a))
	}
	square := 0.0
	for i := range v {
		v[i] -= mean
		square += v[i] * v[i]
	}
	sd := math.Sqrt(square / float64(len(v)))
	if !(sd > 1e-9*largest) || math.IsInf(sd, 0) {
		return false
	}
	if scale {
		for i := range v {
			v[i] /= sd
		}
	}
	return true
}

// sumProducts computes the cross products of the encoded columns and targets for each fold.
func (m *linear) sumProducts() {
	_, d := m.design.Dims()
	for f := range folds {
		var rows []int
		for k, i := range m.places {
			if m.x.fold[i] == f {
				rows = append(rows, k)
			}
		}
		m.gram[f] = mat.NewSymDense(d, nil)
		m.right[f] = nil
		if len(rows) == 0 {
			for range m.y {
				m.right[f] = append(m.right[f], mat.NewVecDense(d, nil))
			}
			continue
		}
		part := mat.NewDense(len(rows), d, nil)
		for k, r := range rows {
			part.SetRow(k, m.design.RawRowView(r))
		}
		m.gram[f].SymOuterK(1, part.T())
		for _, y := range m.y {
			v := mat.NewVecDense(len(rows), nil)
			for k, r := range rows {
				v.SetVec(k, y[r])
			}
			right := mat.NewVecDense(d, nil)
			right.MulVec(part.T(), v)
			m.right[f] = append(m.right[f], right)
		}
	}
}

// predict returns the out-of-fold scores of the model on the parts that are kept. They are indexed by output and by
// row of the examination, and NaN for rows without a score. It returns nil if no part is kept or the equations
// cannot be solved.
func (m *linear) predict(kept []bool) [][]float64 {
	var columns []int
	for j, s := range m.source {
		if kept[s] {
			columns = append(columns, j)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	out := make([][]float64, len(m.y))
	for o := range out {
		out[o] = make([]float64, len(m.x.rows))
		for i := range out[o] {
			out[o][i] = math.NaN()
		}
	}
	d := len(columns)
	for f := range folds {
		gram := mat.NewSymDense(d, nil)
		for a, ja := range columns {
			for b := a; b < d; b++ {
				v := 0.0
				for other := range folds {
					if other != f {
						v += m.gram[other].At(ja, columns[b])
					}
				}
				if a == b {
					v += 1e-8 * float64(len(m.places))
				}
				gram.SetSym(a, b, v)
			}
		}
		var factor mat.Cholesky
		if !factor.Factorize(gram) {
			return nil
		}
		for o := range out {
			right := mat.NewVecDense(d, nil)
			for a, ja := range columns {
				for other := range folds {
					if other != f {
						right.SetVec(a, right.AtVec(a)+m.right[other][o].AtVec(ja))
					}
				}
			}
			var b mat.VecDense
			if factor.SolveVecTo(&b, right) != nil && b.Len() == 0 {
				return nil
			}
			for k, i := range m.places {
				if m.x.fold[i] != f {
					continue
				}
				row, s := m.design.RawRowView(k), 0.0
				for a, ja := range columns {
					s += row[ja] * b.AtVec(a)
				}
				out[o][i] = s
			}
		}
	}
	return out
}

// predictivePower returns how well the model on the parts that are kept predicts the target out of fold; if there are
// several classes, the result is that of the worst class.
func (m *linear) predictivePower(kept []bool) float64 {
	scores := m.predict(kept)
	if scores == nil {
		return 0
	}
	least := math.Inf(1)
	for o, s := range scores {
		y := make([]float64, len(m.x.rows))
		for i := range y {
			y[i] = math.NaN()
		}
		for k, i := range m.places {
			if y[i] = m.y[o][k]; m.x.binary {
				y[i] = m.x.y[o][i]
			}
		}
		least = min(least, m.x.predictivePower(s, y))
	}
	return least
}

// keepAll returns a list that keeps all parts.
func (m *linear) keepAll() []bool {
	kept := make([]bool, len(m.parts))
	for i := range kept {
		kept[i] = true
	}
	return kept
}

// scoresWithout returns the out-of-fold scores of the first output if column c is omitted.
func (m *linear) scoresWithout(c *column) []float64 {
	kept := m.keepAll()
	if at := slices.Index(m.parts, c); at >= 0 {
		kept[at] = false
	}
	if scores := m.predict(kept); scores != nil {
		return scores[0]
	}
	empty := make([]float64, len(m.x.rows))
	for i := range empty {
		empty[i] = math.NaN()
	}
	return empty
}

// findTogether finds columns that together predict the target nearly without error: the columns of an identity, the
// columns without which the model is no longer nearly perfect, and a column that predicts far better than all others.
func (x *examination) findTogether(m *linear, power map[*column]float64) (all []Finding) {
	p := m.predictivePower(m.keepAll())
	if !x.binary {
		if p > identity {
			if parts := m.minimalColumns(identity); len(parts) <= maxParts {
				return append(all, x.newIdentity(parts, "the target is a weighted sum of these columns"))
			}
		}
		if logs := x.fitLogarithms(power); logs != nil && logs.predictivePower(logs.keepAll()) > identity {
			if parts := logs.minimalColumns(identity); len(parts) <= 4 {
				return append(all, x.newIdentity(parts, "the target is a product or a ratio of these columns"))
			}
		}
	}
	if logs := x.fitLogarithms(power); x.binary && p <= predictsAll && logs != nil && len(logs.parts) > 1 {
		if q := logs.predictivePower(logs.keepAll()); q > predictsAll {
			if parts := logs.minimalColumns(predictsAll); len(parts) <= 4 {
				return append(all, x.newIdentity(parts, fmt.Sprintf(
					"the class depends on whether a product or a ratio of these columns exceeds a limit (AUC %.4f)", q)))
			}
		}
	}
	if p <= predictsAll {
		return x.findBeyond(m, power)
	}
	kept := m.keepAll()
	var culprits []*column
	left := p
	for left > predictsAll && len(culprits) < maxCulprits {
		worst, least := -1, left
		for k := range kept {
			if !kept[k] {
				continue
			}
			kept[k] = false
			if r := m.predictivePower(kept); r < least {
				worst, least = k, r
			}
			kept[k] = true
		}
		if worst < 0 {
			break
		}
		kept[worst] = false
		culprits, left = append(culprits, m.parts[worst]), least
	}
	f := Finding{What: LeakTogether, Severity: Warning,
		Evidence: fmt.Sprintf(
			"possible leakage: all columns together predict the target nearly without error out of fold (%s %.4f)",
			x.powerName(),
			p)}
	if left > predictsAll { // the other columns predict the target too
		f.Severity = Note
		f.Proposal = "check that all columns are known at prediction time"
		return append(all, f)
	}
	for _, c := range culprits {
		f.Columns = append(f.Columns, c.Name)
	}
	f.Column = f.Columns[0]
	f.Evidence += fmt.Sprintf("; %.2f without %s", left, quoteNames(culprits, "and"))
	f.Proposal = question
	return append(all, f)
}

// quoteNames returns the names of columns in quotes.
func quoteNames(columns []*column, last string) string {
	var names []string
	for _, c := range columns {
		names = append(names, strconv.Quote(c.Name))
	}
	return printable.JoinWords(names, last)
}

// newIdentity returns a finding about columns from which the target can be computed.
func (x *examination) newIdentity(parts []*column, how string) Finding {
	f := Finding{What: LeakIdentity, Column: parts[0].Name, Severity: Warning,
		Evidence: "possible leakage: the columns together determine the target: " + how,
		Proposal: "are all of these columns known at prediction time? If not, leave one of them out"}
	for _, c := range parts {
		f.Columns = append(f.Columns, c.Name)
	}
	return f
}

// minimalColumns returns a minimal set of columns that predict at least as well as limit. It removes one column after
// another as long as the remaining ones suffice.
func (m *linear) minimalColumns(limit float64) (parts []*column) {
	kept := m.keepAll()
	for k := len(kept) - 1; k >= 0; k-- { // columns that predict worst on their own come first
		kept[k] = false
		if m.predictivePower(kept) <= limit {
			kept[k] = true
		}
	}
	for k, c := range m.parts {
		if kept[k] {
			parts = append(parts, c)
		}
	}
	return parts
}

// fitLogarithms returns the linear model of the logarithms of positive columns. It returns nil if the target is
// numeric and not positive.
func (x *examination) fitLogarithms(power map[*column]float64) *linear {
	in := *x
	in.columns = nil
	if !x.binary {
		target := x.target
		if target.number == nil || target.distinct < 5 || target.lowest <= 0 {
			return nil
		}
		in.y = [][]float64{make([]float64, len(target.number))}
		for i, v := range target.number {
			in.y[0][i] = math.Log(v)
		}
	}
	for _, c := range x.columns {
		if c.number != nil && c.nulls == 0 && c.distinct >= 5 && c.lowest > 0 && c.Kind == data.Numeric {
			in.columns = append(in.columns, c)
		}
	}
	return in.newLinear(power, nil, true)
}

// findBeyond finds a column that predicts a class far better than all other columns together, such as the target with
// noise.
func (x *examination) findBeyond(m *linear, power map[*column]float64) (all []Finding) {
	if !x.binary || len(m.parts) < 3 {
		return nil
	}
	for k, c := range m.parts {
		if power[c] <= predictsBeyond {
			continue
		}
		kept := m.keepAll()
		kept[k] = false
		if others := m.predictivePower(kept); others < othersAtMost {
			all = append(all, *x.newLeak(Leak, c,
				"possible leakage: the column alone predicts the target far better than all other columns together (AUC %.4f "+
					"against %.2f)", power[c], others))
		}
	}
	return all
}
