// Package tuning lists the constants of the solvers that no theorem sets: what each is,
// in what unit, and how far off it may be. `go run ./bench/experiments tuning` solves the
// cells of the ablation with every one of them smaller and larger in turn; the table is in
// docs/performance.md. It is imported by dro and by bench, and imports nothing. Start
// reading at Constant.
package tuning

// A Constant is a number that was found by experiment. It is changed between solves,
// never during one, and by experiments alone.
type Constant struct {
	Name  string     // package and what it is
	Unit  string     // what it counts, or is a share of
	Value float64    // in use
	Tried [2]float64 // a smaller and a larger value: that between them little changes is what the experiment shows
}

var all []*Constant

// New enters a constant in the list, at the start of the program.
func New(name, unit string, value, smaller, larger float64) *Constant {
	c := &Constant{Name: name, Unit: unit, Value: value, Tried: [2]float64{smaller, larger}}
	all = append(all, c)
	return c
}

// Int is the value of a constant that counts.
func (c *Constant) Int() int { return int(c.Value) }

// All are the constants, by package.
func All() []*Constant { return all }
