package table

// Columns made of others: their values are worked out as they are read.

// Derived returns a numeric column whose values are those of another under a function;
// nulls stay null.
func Derived(c *Column, name, typ string, of func(float64) float64) *Column {
	if !c.Stored() {
		out := &Column{Name: name, Type: typ, Kind: Numeric, Integer: true, Null: c.Null, Number: make([]float64, len(c.Number))}
		for i, v := range c.Number {
			if !c.IsNull(i) {
				out.Number[i] = of(v)
			}
		}
		return out
	}
	parts := make([]Part, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = derived{p, of}
	}
	return Stored(name, typ, Numeric, true, parts)
}

type derived struct {
	Part
	of func(float64) float64
}

func (d derived) Open(row int, b *Buffers) (Values, error) {
	v, err := d.Part.Open(row, b)
	if err != nil {
		return nil, err
	}
	return derivedValues{v, d.of}, nil
}

type derivedValues struct {
	Values
	of func(float64) float64
}

func (d derivedValues) Inexact() int { return 0 }

func (d derivedValues) Numbers(dst []float64, null []bool) (int, error) {
	if null == nil {
		null = make([]bool, len(dst))
	}
	clear(null)
	n, err := d.Values.Numbers(dst, null)
	for i := range dst {
		if !null[i] {
			dst[i] = d.of(dst[i])
		}
	}
	return n, err
}

// Relabelled returns a column with other names for some of its texts; columns of other kinds
// stay as they are.
func Relabelled(c *Column, names map[string]string) *Column {
	if c.Kind != Categorical {
		return c
	}
	if c.Stored() {
		parts := make([]Part, len(c.Parts))
		for i, p := range c.Parts {
			parts[i] = relabelled{p, names}
		}
		out := *c
		out.Parts = parts
		return &out
	}
	out, levels := *c, NewLevels()
	to := make([]int32, len(c.Level))
	for k, l := range c.Level {
		to[k] = levels.Code(named(l, names))
	}
	out.Code = make([]int32, len(c.Code))
	for i, k := range c.Code {
		if out.Code[i] = -1; k >= 0 {
			out.Code[i] = to[k]
		}
	}
	out.Level = levels.Text
	return &out
}

func named(text string, names map[string]string) string {
	if to, ok := names[text]; ok {
		return to
	}
	return text
}

type relabelled struct {
	Part
	names map[string]string
}

func (r relabelled) Open(row int, b *Buffers) (Values, error) {
	v, err := r.Part.Open(row, b)
	if err != nil {
		return nil, err
	}
	return &relabelledValues{Values: v, names: r.names, own: NewLevels()}, nil
}

type relabelledValues struct {
	Values
	names map[string]string
	own   *Levels // of the part
	to    []int32
}

func (r *relabelledValues) Codes(dst []int32, null []bool, levels *Levels) (int, error) {
	n, err := r.Values.Codes(dst, null, r.own)
	for k := len(r.to); k < len(r.own.Text); k++ {
		r.to = append(r.to, levels.Code(named(r.own.Text[k], r.names)))
	}
	for i, k := range dst {
		if k >= 0 {
			dst[i] = r.to[k]
		}
	}
	return n, err
}
