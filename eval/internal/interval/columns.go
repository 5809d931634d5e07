package interval

// Columns describes the numbers of a row whose sums determine the smooth statistics. The numbers of each model come
// first, followed by those that the models share. The first column of a model is its loss times the weight of the
// row; the first shared column is the weight.
type Columns struct {
	Models, PerModel, Shared int
	// Fill computes the columns of row i.
	Fill func(row []float64, i int32)
	// Centre is the number that Fill subtracts from targets.
	Centre float64
}

// Width returns the number of columns of a row.
func (c *Columns) Width() int { return c.sharedIndex(c.Shared) }

// sharedIndex returns the index of a shared column.
func (c *Columns) sharedIndex(column int) int { return c.Models*c.PerModel + column }

// A Term is the product of a column and a factor.
type Term struct {
	column int
	by     float64
}

// A Derivative collects the derivative of a statistic of a model with respect to the sums of the columns. The
// influence of a row is the derivative applied to the columns of the row. The influences of all rows sum to 0.
type Derivative struct {
	*Columns
	sums  []float64
	model int
	by    float64 // factor by which all added terms are multiplied
	form  Influence
}

// OwnTerm returns the term of a column of the model.
func (d *Derivative) OwnTerm(column int, by float64) Term {
	return Term{d.model*d.PerModel + column, by}
}

// SharedTerm returns the term of a shared column.
func (d *Derivative) SharedTerm(column int, by float64) Term { return Term{d.sharedIndex(column), by} }

// OwnSum returns the sum of a column of the model.
func (d *Derivative) OwnSum(column int) float64 { return d.sums[d.model*d.PerModel+column] }

// Total returns the sum of a shared column.
func (d *Derivative) Total(column int) float64 { return d.sums[d.sharedIndex(column)] }

// Add adds a term.
func (d *Derivative) Add(t Term) { d.form = append(d.form, Term{t.column, d.by * t.by}) }

// AddRatio adds the derivative of f·N/D, where N and D are the linear forms of the sums given by num and den.
func (d *Derivative) AddRatio(f float64, num, den []Term) {
	var above, below float64
	for _, t := range num {
		above += t.by * d.sums[t.column]
	}
	for _, t := range den {
		below += t.by * d.sums[t.column]
	}
	f *= d.by
	for _, t := range num {
		d.form = append(d.form, Term{t.column, f * t.by / below})
	}
	for _, t := range den {
		d.form = append(d.form, Term{t.column, -f * t.by * above / (below * below)})
	}
}

// An Influence is the influence of a row on a quantity, as a linear function of the columns of the row.
type Influence []Term

// StoreIn stores in dst the influences of some rows. Column j of these rows begins at columns[j·stride].
func (f Influence) StoreIn(dst, columns []float64, stride int) {
	clear(dst)
	for _, t := range f {
		column := columns[t.column*stride:][:len(dst)]
		for k, x := range column {
			dst[k] += float64(t.by * x)
		}
	}
}

// Influence returns the influence of a row on a quantity, evaluated at the given sums of the columns, or nil if the
// quantity is not smooth.
func (c *Columns) Influence(of Quantity, sums []float64) Influence {
	if of.Derive == nil {
		return nil
	}
	d := Derivative{Columns: c, sums: sums, model: of.Model, by: 1}
	of.Derive(&d)
	if of.Base >= 0 {
		d.model, d.by = of.Base, -1
		of.Derive(&d)
	}
	return d.form
}
