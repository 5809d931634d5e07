package encode

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Profile describes the training values of the inputs of an encoder, so that other rows can be
// compared with them.
type Profile struct {
	// number of training rows from which the profile was computed
	Rows    int            `json:"rows"`
	Float32 bool           `json:"float32,omitempty"` // encoded values were rounded to float32
	Inputs  []InputProfile `json:"inputs"`
	Sample  *RowSample     `json:"sample,omitempty"` // recognises training rows; nil in models of earlier versions
}

// An InputProfile describes the training values of one input: a column, or a function of a column.
type InputProfile struct {
	Input   int       `json:"input"`             // index in Encoder.Inputs
	Missing float64   `json:"missing,omitempty"` // proportion of nulls of a number, which were filled
	Low     float64   `json:"low"`               // smallest value of a number
	High    float64   `json:"high"`              // largest value of a number
	Edges   []float64 `json:"edges,omitempty"`   // deciles of a number, ascending

	// Shares holds proportions. For a number, they are those of the values up to each edge and above the last
	// edge. For a category, they are those of each label, followed by that of values without an encoded column.
	Shares []float64 `json:"shares"`
}

// A Drift compares the values of a column with those in training.
type Drift = facts.Drift

const (
	profiledRows = 50_000 // maximum number of training rows in a profile
	// maximum number of values in a profile of many columns, which always has at least minProfiled rows
	profiledValues = 4_000_000
	minProfiled    = 1000
	// maximum number of entries of a dense vector in a profile, which are at equal distances
	profiledEntries = 1000
	comparedRows    = 200_000 // maximum number of rows compared
	// maximum number of encoded cells read for a profile, which always has at least minProfiled rows
	readCells = 1 << 30

	// limit beyond which a Drift is reported; by convention it indicates that a population has shifted
	driftPSI    = 0.25
	driftMerged = 0.5 // limit for the share of rare levels merged with unseen ones, if there is no profile
)

// MakeProfile computes the profile of the training values from the first rows of d, which must be training rows in
// random order; report must cover all training rows. If MakeProfile is not called, no drift is reported. It panics
// if the encoder did not make d.
func (e *Encoder) MakeProfile(d *Dataset, report Report, storage design.Storage) {
	profiled := e.profiledInputs()
	rows := min(d.N, profiledRows, max(minProfiled, profiledValues/max(1, len(profiled))),
		max(minProfiled, readCells/max(1, d.D)))
	single := storage == design.Float32Storage
	e.Profile = &Profile{Rows: rows, Float32: single, Sample: sampleRows(d, single)}
	values := e.collectValues(d, profiled, e.Profile.Rows, e.Profile.Float32)
	inputs := make([]InputProfile, len(profiled))
	shard.RunCount(len(profiled), len(profiled), func(k, _, _ int) {
		inputs[k] = e.profileInput(profiled[k], values[k], &report)
	})
	e.Profile.Inputs = inputs // after a panic, the profile describes no input
}

// profiledInputs returns the indices of the inputs that a profile describes: of a dense vector, at most
// profiledEntries, at equal distances.
func (e *Encoder) profiledInputs() (out []int) {
	width := map[string]int{} // number of entries of each dense vector
	for _, in := range e.Inputs {
		width[in.Vector]++
	}
	seen := map[string]int{}
	for i := range e.Inputs {
		in := &e.Inputs[i]
		if !in.isProfiled() {
			continue
		}
		k, n := seen[in.Vector], width[in.Vector]
		seen[in.Vector]++
		if in.Vector != "" && n > profiledEntries && k*profiledEntries/n == (k-1)*profiledEntries/n && k > 0 {
			continue
		}
		out = append(out, i)
	}
	return out
}

// profileInput returns the profile of an input with the given values, which it sorts if they are numbers.
func (e *Encoder) profileInput(i int, values []float64, report *Report) InputProfile {
	in, p := &e.Inputs[i], InputProfile{Input: i}
	if in.Kind == data.Numeric {
		radix.Sort(values)
		p.Low, p.High = values[0], values[len(values)-1]
		for k := 1; k < 10; k++ {
			p.Edges = append(p.Edges, values[(len(values)-1)*k/10])
		}
		p.Edges = slices.Compact(p.Edges)
		p.Missing = report.imputedCount(in.Name) / float64(max(1, report.Rows))
	}
	for _, n := range p.countCells(in, values) {
		p.Shares = append(p.Shares, float64(n)/float64(len(values)))
	}
	return p
}

// isProfiled reports whether a profile describes the values of the input. Products and vectors have no profile.
func (in *Input) isProfiled() bool { return len(in.Of) <= 1 && !in.isVector() }

// imputedCount returns the number of nulls of a column that were filled.
func (r *Report) imputedCount(column string) float64 {
	for _, f := range r.Imputed {
		if f.Column == column {
			return float64(f.Count)
		}
	}
	return 0
}

// collectValues returns the values of the given inputs in the first count rows of d: numbers in the units of the
// table, and categories as indices of their labels.
func (e *Encoder) collectValues(d *Dataset, inputs []int, count int, narrow bool) [][]float64 {
	out := make([][]float64, len(inputs))
	count = min(count, d.N)
	for k := range out {
		out[k] = make([]float64, count)
	}
	if len(inputs) == 0 {
		return out
	}
	shard.Run(count, func(_, lo, hi int) {
		row := make([]float64, d.D)
		for i := lo; i < hi; i++ {
			d.X.RowTo(row, i)
			for k, in := range inputs {
				out[k][i] = e.valueOf(&e.Inputs[in], row, narrow)
			}
		}
	})
	return out
}

// valueOf returns the value of an input in an encoded row: a number in its unit, or the index of a label.
func (e *Encoder) valueOf(in *Input, row []float64, narrow bool) float64 {
	if in.Kind != data.Numeric {
		return float64(labelOf(in, row))
	}
	z, c := row[in.First], &e.Columns[in.First]
	if narrow {
		z = float64(float32(z))
	}
	return z*c.Scale + c.Shift
}

// labelOf returns the index of the label of an encoded row. If every label has a column and none of them is 1, it
// returns the number of labels.
func labelOf(in *Input, row []float64) int {
	n, skipped := len(in.Labels()), in.skippedLabel()
	at := in.First
	for k := range n {
		if k == skipped {
			continue
		}
		if row[at] != 0 {
			return k
		}
		at++
	}
	if skipped >= 0 {
		return skipped
	}
	return n
}

// countCells returns the number of values in each interval of a number, or of each label of a category.
func (p *InputProfile) countCells(in *Input, values []float64) []int {
	if in.Kind != data.Numeric {
		n := make([]int, len(in.Labels())+1)
		for _, v := range values {
			n[int(v)]++
		}
		return n
	}
	n := make([]int, len(p.Edges)+1)
	for _, v := range values {
		n[sort.SearchFloat64s(p.Edges, v)]++
	}
	return n
}

// A driftCount accumulates the counts over blocks of rows.
type driftCount struct {
	counts  [][]int // counts of each InputProfile
	outside []int
	rows    int

	training TrainingRows
	keys     map[uint32]bool // hashes in the sample of training rows
}

// addDrift adds the counts of a block; rows is the number of rows of the whole table.
func (e *Encoder) addDrift(c *driftCount, d *Dataset, rows int) {
	if e.Profile == nil || d.N == 0 {
		return
	}
	if s := e.Profile.Sample; s != nil {
		if c.keys == nil {
			c.keys, _ = s.keys() // Validate has checked the keys
		}
		s.countEqual(c.keys, d, e.Profile.Float32, &c.training)
	}
	some := *d
	if stride := (rows + comparedRows - 1) / comparedRows; stride > 1 {
		var at []int
		for i := 0; i < d.N; i += stride {
			at = append(at, i)
		}
		some.N, some.X = len(at), d.X.Select(at)
	}
	inputs := make([]int, len(e.Profile.Inputs))
	for k, p := range e.Profile.Inputs {
		inputs[k] = p.Input
	}
	values := e.collectValues(&some, inputs, some.N, e.Profile.Float32)
	if c.counts == nil {
		c.counts, c.outside = make([][]int, len(e.Profile.Inputs)), make([]int, len(e.Profile.Inputs))
	}
	c.rows += some.N
	for k := range e.Profile.Inputs {
		p := &e.Profile.Inputs[k]
		in := &e.Inputs[p.Input]
		n := p.countCells(in, values[k])
		if c.counts[k] == nil {
			c.counts[k] = n
		} else {
			for b, m := range n {
				c.counts[k][b] += m
			}
		}
		if in.Kind == data.Numeric {
			for _, v := range values[k] {
				if v < p.Low || v > p.High {
					c.outside[k]++
				}
			}
		}
	}
}

// describeDrifts compares the counts with the profile and returns a drift for each input, in descending order of the
// population stability index.
func (e *Encoder) describeDrifts(c *driftCount, r *Report) (out []Drift) {
	for k := range c.counts {
		p := &e.Profile.Inputs[k]
		in := &e.Inputs[p.Input]
		if at := slices.IndexFunc(r.Unseen, func(u Unseen) bool { return u.Column == in.Name }); at >= 0 &&
			in.Kind != data.Numeric && in.skippedLabel() >= 0 {
			// Unseen levels are encoded as the level without a column.
			n := c.counts[k]
			unseen := min(n[in.skippedLabel()], r.Unseen[at].Count*c.rows/max(1, r.Rows))
			n[in.skippedLabel()] -= unseen
			n[len(n)-1] += unseen
		}
		d := Drift{Column: e.Inputs[p.Input].Name, Rows: r.Rows, Outside: float64(c.outside[k]) / float64(c.rows),
			WasMissing: p.Missing}
		bins := float64(len(p.Shares))
		for b, n := range c.counts[k] {
			// Adding half a row to each interval keeps the logarithm finite.
			was := (p.Shares[b]*float64(e.Profile.Rows) + 0.5) / (float64(e.Profile.Rows) + bins/2)
			is := (float64(n) + 0.5) / (float64(c.rows) + bins/2)
			d.PSI += (is - was) * math.Log(is/was)
		}
		// Two samples of one population have about this index on average, and seldom three times as much.
		d.Limit = driftPSI + 3*(bins-1)*(1/float64(c.rows)+1/float64(e.Profile.Rows))
		d.Missing = r.imputedCount(d.Column) / float64(max(1, r.Rows))
		for _, u := range r.Unseen {
			if u.Column == d.Column {
				d.Unseen = float64(u.Count) / float64(max(1, r.Rows))
				d.Missing = float64(u.Nulls) / float64(max(1, r.Rows))
			}
		}
		if in := &e.Inputs[p.Input]; in.Kind != data.Numeric && in.Missing { // nulls are counted as a level
			at := len(in.Levels)
			d.Missing, d.WasMissing = float64(c.counts[k][at])/float64(c.rows), p.Shares[at]
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b Drift) int { return cmp.Compare(b.PSI, a.PSI) })
	return out
}

// DescribeDrift returns a line that names the columns whose values differ from training by more than the limits, or ""
// if there are none. If there is no training profile, it considers only levels that training lacked.
func (r Report) DescribeDrift() string {
	var columns []string
	for _, d := range r.Drift {
		if s := d.String(); s != "" {
			columns = append(columns, fmt.Sprintf("%s (%s)", printable.QuoteList([]string{d.Column}, "and"), s))
		}
	}
	isNamed := func(in []Unseen, column string) bool {
		return slices.ContainsFunc(in, func(u Unseen) bool { return u.Column == column })
	}
	for _, u := range r.Unseen {
		compared := slices.ContainsFunc(r.Drift, func(d Drift) bool { return d.Column == u.Column })
		if share := float64(u.Count) / float64(max(1, r.Rows)); !compared && facts.AreManyUnseen(share, r.Rows) {
			columns = append(columns, fmt.Sprintf("%s (%.0f %% of the rows with %s unseen in training: %s)",
				printable.QuoteList([]string{u.Column}, "and"), 100*share, u.kind(), printable.QuoteList(u.Examples, "and")))
		}
	}
	for _, u := range r.Merged {
		if share := float64(u.Count) / float64(max(1, r.Rows)); share > driftMerged && u.Count >= 2 {
			columns = append(columns, fmt.Sprintf("%s (%.0f %% of the rows with rare levels or levels unseen in training: %s)",
				printable.QuoteList([]string{u.Column}, "and"), 100*share, printable.QuoteList(u.Examples, "and")))
		}
	}
	for _, g := range r.NewGroups {
		share := float64(g.Count) / float64(max(1, r.Rows))
		// otherwise the feature has a remark already
		if !isNamed(r.Unseen, g.Column) && facts.AreManyUnseen(share, r.Rows) {
			columns = append(columns, fmt.Sprintf("group column %q (%.0f %% of the rows in groups unseen in training: %s)",
				g.Column, 100*share, printable.QuoteList(g.Examples, "and")))
		}
	}
	if columns == nil {
		return ""
	}
	return "these rows differ from the training rows: " + printable.List(columns, mostListed)
}

// validate returns an error if a profile that was read from a file is invalid.
func (p *Profile) validate(e *Encoder) error {
	if p.Sample != nil {
		if _, err := p.Sample.keys(); err != nil {
			return err
		}
	}
	for _, of := range p.Inputs {
		if of.Input < 0 || of.Input >= len(e.Inputs) || !e.Inputs[of.Input].isProfiled() {
			return fmt.Errorf("the training profile refers to input %d, which does not exist or has no profile", of.Input)
		}
		in := &e.Inputs[of.Input]
		want := len(of.Edges) + 1
		if in.Kind != data.Numeric {
			want = len(in.Labels()) + 1
		}
		if len(of.Shares) != want || !slices.IsSorted(of.Edges) || p.Rows < 1 ||
			slices.ContainsFunc(of.Shares, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
			return fmt.Errorf("the training profile of %q is not valid", in.Name)
		}
	}
	return nil
}

// LevelShares returns, for each encoded column of a level, the proportion of the profiled training rows that have
// the level, indexed by encoded column. Columns of numbers and columns without a profile are omitted.
func (e *Encoder) LevelShares() map[int]float64 {
	out := make(map[int]float64)
	if e.Profile == nil {
		return out
	}
	for _, p := range e.Profile.Inputs {
		in := &e.Inputs[p.Input]
		if in.Kind == data.Numeric {
			continue
		}
		for k := range in.Labels() {
			if at := in.Column(k); at >= 0 && k < len(p.Shares) {
				out[at] = p.Shares[k]
			}
		}
	}
	return out
}
