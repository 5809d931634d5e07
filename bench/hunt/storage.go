package hunt

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// storages are the names of the storages of a matrix, the last of them rarely taken: it
// makes a file.
var storages = []string{"float64", "float32", "sparse", "disk"}

// matrix returns the rows in a storage, and what ends its use.
func (c *Case) matrix(storage string) (z design.Matrix, end func(), err error) {
	end = func() {}
	switch storage {
	case "float64", "ranks":
		z, err = design.NewDense(c.N, c.D, c.Rows)
	case "float32":
		x := make([]float32, len(c.Rows))
		for i, v := range c.Rows {
			x[i] = float32(v)
		}
		z, err = design.NewDense32(c.N, c.D, x)
	case "sparse":
		start, column, value := make([]int, 1, c.N+1), []int32{}, []float64{}
		for j := range c.N {
			for k, v := range c.Rows[j*c.D : (j+1)*c.D] {
				if v != 0 {
					column, value = append(column, int32(k)), append(value, v)
				}
			}
			start = append(start, len(value))
		}
		z, err = design.NewSparse(c.N, c.D, start, column, value)
	case "disk":
		var w *design.DiskWriter
		if w, err = design.NewDiskWriter(design.Place{Dir: os.TempDir(), Memory: []int64{1, 1 << 10, 1 << 16}[c.Number%3]}, c.N, c.D, design.Disk64); err != nil {
			return nil, end, err
		}
		rows := w.BlockRows()
		for b := 0; b*rows < c.N && err == nil; b++ {
			err = w.Write(b, c.Rows[b*rows*c.D:min((b+1)*rows, c.N)*c.D])
		}
		if err != nil {
			w.Close()
			return nil, end, err
		}
		file := w.Matrix()
		z, end = file, func() { _ = file.Close() }
	default:
		err = fmt.Errorf("hunt: no storage %q", storage)
	}
	return z, end, err
}

// problem returns the problem with its rows in a storage, and what ends its use. Its work
// on rows in memory is counted where that is asked for.
func (c *Case) problem(storage string, work *atomic.Int64) (p *dro.Problem, end func(), err error) {
	if c.own != nil {
		return c.own.problem, func() {}, nil
	}
	z, end, err := c.matrix(storage)
	if err != nil {
		return nil, end, err
	}
	if work != nil && storage != "disk" {
		z = counted{z, work}
	}
	loss, err := losses.Parse(c.Loss, c.Delta)
	if err != nil {
		return nil, end, err
	}
	o, err := losses.NewLinear(loss, z, c.Target)
	if err != nil {
		return nil, end, err
	}
	dual, err := c.dual()
	if err != nil {
		return nil, end, err
	}
	return &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: c.Mu, Intercept: c.Intercept}}, end, nil
}
