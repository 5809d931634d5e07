// Package value measures what robust training is worth on rows not seen: tables, each
// split by several seeds, and beside the model that is chosen the ones it was chosen
// from. Command experiments runs it (value); docs/value.md is what it wrote. It may
// import what a user may: data, datasets, train and below. Start reading at measure.go.
package value

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
)

// A Table is rows with a target, groups to be just to, and where they come from.
type Table struct {
	Name   string
	About  string
	Target string
	Groups []string
	Slope  bool // a group follows another law: robust training must help
	// Function: that group is a function of the target and the features, which all follow
	// one law: rows without its name say nothing of it.
	Function bool
	Seen     Seen
	Whole    bool // trained on all its rows, however many
	Alone    bool // not measured without naming the groups
	Drop     []string

	read func(ctx context.Context, from Sources) (*data.Frame, error)
	more func(ctx context.Context, rows int) (*data.Frame, error) // as many rows of a table that is drawn; nil: it is not
}

// Seen is what the rules of the choice knew of a table.
type Seen int

// They were made with the table; the bars of a hidden subgroup were set with its results
// in view; nothing, when it was first measured; nothing, and it is of the last measurement.
const (
	Made Seen = iota
	InView
	Fresh
	Last
)

// Sources are the folders of tables that are neither embedded nor drawn; empty: none.
type Sources struct {
	Shared string
}

// Open reads the table. A table that is not there is an error of os.ErrNotExist.
func (t *Table) Open(ctx context.Context, from Sources) (*data.Frame, error) {
	return t.read(ctx, from)
}

// Unnamed is the name of the table where nobody names its groups.
func (t *Table) Unnamed() string { return t.Name + ", not named" }

// Tables are all: those that the rules of the choice were made with first, then those that
// were only looked at afterwards, and at last those of which the rules knew nothing.
func Tables() []Table {
	all := []Table{
		{Name: "hmda", About: "mortgage denials, groups afam × single", Target: "deny", Groups: []string{"afam", "single"}, read: embedded("hmda")},
		{Name: "digits", About: "low or high digit, a colour misleads a tenth of the rows", Target: "size", Groups: []string{"agrees"}, Slope: true, Function: true, read: embedded("digits")},
		{Name: "cps1988", About: "wages, groups ethnicity × region", Target: "wage", Groups: []string{"ethnicity", "region"}, Alone: true, read: embedded("cps1988")},
		{Name: "cps1988 log", About: "log wages, groups parttime", Target: "wage", Groups: []string{"parttime"}, read: logWages},
		{Name: "adult", About: "income above 50 000, groups sex × race", Target: "income", Groups: []string{"sex", "race"}, Drop: []string{"fnlwgt"}, read: shared("adult_train.csv")},
		{Name: "compas", About: "two-year recidivism, groups sex × race", Target: "two_year_recid", Groups: []string{"sex", "race"}, read: compas},
		{Name: "abalone", About: "rings of abalones, groups by sex", Target: "rings", Groups: []string{"sex"}, read: abalone},
		{Name: "slopes", About: "a tenth of the rows has another slope", Target: "y", Groups: []string{"group"}, Slope: true, read: slopes(0.1, 6000, false)},
		{Name: "slopes yes/no", About: "a fifth of the rows has another slope, two classes", Target: "y", Groups: []string{"group"}, Slope: true, read: slopes(0.2, 6000, true)},

		{Name: "slopes 5 %", About: "2000 rows, a twentieth of them with another slope", Target: "y", Groups: []string{"group"}, Slope: true, Seen: InView, read: slopes(0.05, 2000, false)},
		{Name: "concrete", About: "strength of concrete, groups by age", Target: "strength", Groups: []string{"old"}, Seen: InView, read: cut("concrete.csv", nil, "age", "old", 28)},
		{Name: "energy", About: "heating load of buildings, groups by orientation", Target: "heating_load", Groups: []string{"orientation"}, Drop: []string{"cooling_load"}, Seen: InView, read: cut("energy.csv", nil, "", "", 0)},
		{Name: "yacht", About: "resistance of yachts, groups by Froude number", Target: "resistance", Groups: []string{"fast"}, Seen: InView, read: cut("yacht.csv", nil, "froude", "fast", 0.3)},
		{Name: "pima", About: "diabetes, groups by age", Target: "diabetes", Groups: []string{"over 30"}, Seen: InView, read: cut("raw/pima-indians-diabetes.csv",
			[]string{"pregnant", "glucose", "pressure", "triceps", "insulin", "mass", "pedigree", "age", "diabetes"}, "age", "over 30", 30.5)},
		{Name: "pollution", About: "particles in the air of Beijing, groups by wind", Target: "pm2.5", Groups: []string{"cbwd"}, Drop: []string{"No"}, Seen: InView, read: cut("raw/pollution.csv", nil, "", "", 0)},
		{Name: "mammography", About: "calcifications, groups by the first feature", Target: "y", Groups: []string{"large"}, Seen: InView, read: cut("raw/mammography.csv", []string{"x1", "x2", "x3", "x4", "x5", "x6", "y"}, "x1", "large", 0.2)},
	}
	all = append(all, Drawn(freshSeed)...)
	last := Drawn(lastSeed)
	for i := range last {
		last[i].Seen = Last
	}
	return append(all, last...)
}

func embedded(name string) func(context.Context, Sources) (*data.Frame, error) {
	return func(context.Context, Sources) (*data.Frame, error) { return datasets.Open(name) }
}

func shared(file string) func(context.Context, Sources) (*data.Frame, error) {
	return func(ctx context.Context, from Sources) (*data.Frame, error) {
		return data.Read(ctx, filepath.Join(from.Shared, file))
	}
}

// frame reads records as a file.
func frame(ctx context.Context, records [][]string) (*data.Frame, error) {
	dir, err := os.MkdirTemp("", "value")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return data.Read(ctx, path)
}

// records reads a CSV file.
func records(path string) ([][]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(raw))
	r.FieldsPerRecord = -1
	return r.ReadAll()
}

// text returns the cells of a column.
func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// logWages is cps1988 with the logarithm of the wage.
func logWages(ctx context.Context, _ Sources) (*data.Frame, error) {
	f, err := datasets.Open("cps1988")
	if err != nil {
		return nil, err
	}
	names := f.Names()
	out := [][]string{names}
	columns := make([]*data.Column, len(names))
	for i, name := range names {
		if columns[i], err = f.Column(ctx, name); err != nil {
			return nil, err
		}
	}
	for r := range f.Rows {
		row := make([]string, len(names))
		for i, c := range columns {
			if c.Kind == data.Numeric {
				v := c.Number[r]
				if names[i] == "wage" {
					v = math.Log(v)
				}
				row[i] = text(v)
			} else {
				row[i] = c.Text(r)
			}
		}
		out = append(out, row)
	}
	return frame(ctx, out)
}

// compas keeps the columns that are known before the outcome.
func compas(ctx context.Context, from Sources) (*data.Frame, error) {
	rows, err := records(filepath.Join(from.Shared, "raw", "compas-scores-two-years.csv"))
	if err != nil {
		return nil, err
	}
	keep := []string{"sex", "age", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "c_charge_degree", "two_year_recid"}
	var at []int
	for _, name := range keep {
		at = append(at, slices.Index(rows[0], name))
	}
	out := [][]string{keep}
	for _, r := range rows[1:] {
		row := make([]string, len(at))
		for i, k := range at {
			row[i] = r[k]
		}
		out = append(out, row)
	}
	return frame(ctx, out)
}

func abalone(ctx context.Context, from Sources) (*data.Frame, error) {
	rows, err := records(filepath.Join(from.Shared, "raw", "abalone.csv"))
	if err != nil {
		return nil, err
	}
	head := []string{"sex", "length", "diameter", "height", "whole", "shucked", "viscera", "shell", "rings"}
	return frame(ctx, append([][]string{head}, rows...))
}

// cut reads a file, with these names of its columns unless it has a header, and says of
// every row whether column is at least at. Rows with a missing target are left out.
func cut(file string, names []string, column, called string, at float64) func(context.Context, Sources) (*data.Frame, error) {
	return func(ctx context.Context, from Sources) (*data.Frame, error) {
		rows, err := records(filepath.Join(from.Shared, file))
		if err != nil {
			return nil, err
		}
		if names != nil {
			rows = append([][]string{names}, rows...)
		}
		out := [][]string{rows[0]}
		k := slices.Index(rows[0], column)
		if k >= 0 {
			out[0] = append(slices.Clone(rows[0]), called)
		}
		for _, r := range rows[1:] {
			if slices.Contains(r, "NA") {
				continue
			}
			if k >= 0 {
				v, err := strconv.ParseFloat(r[k], 64)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", file, err)
				}
				r = append(r, strconv.FormatBool(v >= at))
			}
			out = append(out, r)
		}
		return frame(ctx, out)
	}
}

// slopes draws n rows of eight features, of which a share follows other coefficients.
func slopes(share float64, n int, classes bool) func(context.Context, Sources) (*data.Frame, error) {
	return func(ctx context.Context, _ Sources) (*data.Frame, error) {
		const d = 8
		rng := rand.New(rand.NewPCG(12, 2026))
		common, other := make([]float64, d), make([]float64, d)
		for i := range d {
			common[i] = rng.NormFloat64() / 2
			other[i] = common[i]
		}
		other[0], common[0] = -1, 1
		head := []string{"group"}
		for i := range d {
			head = append(head, fmt.Sprintf("x%d", i+1))
		}
		out := [][]string{append(head, "y")}
		for range n {
			row, x, name := []string{}, common, "common"
			if rng.Float64() < share {
				x, name = other, "other"
			}
			row = append(row, name)
			m := 0.0
			for i := range d {
				v := rng.NormFloat64()
				row = append(row, text(v))
				m += v * x[i]
			}
			if classes {
				y := "no"
				if rng.Float64() < 1/(1+math.Exp(-3*m)) {
					y = "yes"
				}
				row = append(row, y)
			} else {
				row = append(row, text(m+0.3*rng.NormFloat64()))
			}
			out = append(out, row)
		}
		return frame(ctx, out)
	}
}
