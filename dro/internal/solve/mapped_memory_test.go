package solve_test

import (
	"context"
	"testing"

	"github.com/drotrain/drotrain/design"
	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/losses"
)

// A disk that has memory for no row beside its blocks copies one all the same.
func TestMinimaxOnDiskWithoutMemory(t *testing.T) {
	z, err := design.NewDense(6, 1, []float64{1, -2, 3, 0.5, -1, 2})
	if err != nil {
		t.Fatal(err)
	}
	disk := design.NewMapped(z, memory.NewVirtual(), 1, nil)
	o, err := losses.NewLinear(losses.Squared{}, disk, []float64{1, 2, -1, 3, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.5}, Primal: dro.L2{Mu: 0.1}}
	if res, err := dro.SolveBy(context.Background(), p, dro.Newton{}, dro.DefaultSettings()); err != nil || res.Status != dro.Certified {
		t.Errorf("%v, %+v", err, res)
	}
}
