package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/drotrain/drotrain/data"
)

// A loading is the time and memory from a Parquet file to a matrix.
type loading struct {
	Cell   string    `json:"cell"`
	N      int       `json:"n"`
	D      int       `json:"d"`
	Bytes  int64     `json:"bytes"` // of the file
	Series []*series `json:"series"`
}

func loadingName(n, d int) string { return fmt.Sprintf("loading/parquet-n%d-d%d", n, d) }

func loadingSize(o *options) (n, d int) {
	if o.quick {
		return 20_000, 10
	}
	return 1_000_000, 20
}

// loaded says that loading is measured, or not asked for.
func (r *report) loaded(o *options) bool {
	return r.Loading != nil || !o.cells.MatchString(loadingName(loadingSize(o)))
}

// addLoading, if there is time, writes a table as Parquet and has ours and pyarrow
// read it into a matrix, each run in a process of its own.
func (r *report) addLoading(o *options) error {
	n, d := loadingSize(o)
	l := &loading{Cell: loadingName(n, d), N: n, D: d}
	if o.left() < 20 {
		return nil
	}
	path := filepath.Join(o.dir, "table.parquet")
	defer os.Remove(path)
	if err := writeTable(o, path, n, d); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	l.Bytes = info.Size()
	specs := []peerSpec{{"ours", "ours", o.threads}, {"pyarrow", "pyarrow", 2}}
	of := map[string]*series{}
	var first []float64
	for k := range o.repeats {
		order := slices.Clone(specs)
		if k%2 == 1 {
			slices.Reverse(order)
		}
		for _, spec := range order {
			if o.missing[spec.module] {
				continue
			}
			got, err := loadOnce(o, spec, path, n, d)
			if err != nil {
				if err := o.absent(spec.module, err); err != nil {
					return err
				}
				continue
			}
			if first == nil {
				first = got.X
			}
			if got.Status == "solved" && !slices.Equal(first, got.X) {
				return fmt.Errorf("%s: %s read %v, another %v", l.Cell, spec.name, got.X, first)
			}
			s := of[spec.name]
			if s == nil {
				s = &series{Solver: spec.name}
				of[spec.name], l.Series = s, append(l.Series, s)
			}
			s.Status = got.Status
			s.Seconds, s.RSS = append(s.Seconds, got.Seconds), max(s.RSS, got.RSS)
		}
	}
	r.Loading = l
	o.logf("%s measured", l.Cell)
	return r.write(o.out)
}

func loadOnce(o *options, spec peerSpec, path string, n, d int) (reply, error) {
	p, err := startPeer(o, spec, "load", files{Path: path, N: n, D: d})
	if err != nil {
		return reply{}, err
	}
	defer p.stop()
	return p.ask(request{Seconds: 60, Threads: spec.threads})
}

// writeTable writes a synthetic table of n rows and d columns, with its target.
func writeTable(o *options, path string, n, d int) error {
	t, err := generate(filepath.Join(o.dir, "table"), n, d, source{Kappa: 1}, o.seed)
	if err != nil {
		return err
	}
	defer t.remove()
	columns := make([]data.Column, d+1)
	for i := range columns {
		columns[i] = data.Column{Name: fmt.Sprintf("x%02d", i), Kind: data.Numeric, Number: make([]float64, n)}
	}
	columns[d].Name, columns[d].Number = "target", t.real
	err = t.each(n, func(lo int, rows []float64) {
		for j := range len(rows) / d {
			for i := range d {
				columns[i].Number[lo+j] = rows[j*d+i]
			}
		}
	})
	if err != nil {
		return err
	}
	return data.WriteTable(path, columns, true)
}
