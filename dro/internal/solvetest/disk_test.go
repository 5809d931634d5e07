package solvetest_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/design"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
)

// mapped returns a matrix of n × d numbers in an arena.
func mapped(t *testing.T, arena *memory.Arena, n, d int, x []float64) *design.Mapped {
	t.Helper()
	y := memory.Make[float64](arena, len(x))
	copy(y, x)
	z := newDense(t, n, d, y)
	return design.NewMapped(z, arena, 1<<16, func() { memory.Release(arena, y) })
}

// Every method certifies rows on disk as it does those in memory, with vectors that leave
// memory all the time, and gives everything back but the weights of its result.
func TestSolve_RowsOnDisk(t *testing.T) {
	const n, d = 12_000, 5
	dir := t.TempDir()
	arena, err := memory.NewArena(dir, 0) // nothing may stay
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	arena.MinSize = 1
	rng := rand.New(rand.NewPCG(1, 2))
	x, target := make([]float64, n*d), make([]float64, n)
	for i := range n {
		m := 0.0
		for k := range d - 1 {
			x[i*d+k] = rng.NormFloat64()
			m += x[i*d+k]
		}
		x[i*d+d-1] = 1
		target[i] = math.Copysign(1, m+2*rng.NormFloat64())
	}
	disk := mapped(t, arena, n, d, x)
	dense := newDense(t, n, d, x)
	loss := losses.Logistic{}
	for _, dual := range []dro.Dual{dro.Simplex{Nu: 0.05}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1},
		dro.Simplex{Divergence: dro.PearsonChi2, Nu: 0}} {
		methods := []dro.Method{dro.Newton{}, dro.Newton{Products: true}, dro.LBFGS{}, primaldual.SeparableBlock{},
			primaldual.Stochastic{}, primaldual.FullVector{}}
		if dual.Modulus() == 0 {
			methods = []dro.Method{dro.Newton{}}
		}
		solve := func(z design.Matrix, m dro.Method) *dro.TestResult {
			oracle := newLinear(t, loss, z, target)
			s := dro.DefaultSettings()
			s.RelativeGap = 1e-5
			res, err := dro.SolveBy(context.Background(),
				&dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: 1e-3, Intercept: true, FreeModulus: loss.Smoothness()}},
				m, s)
			if err != nil {
				t.Fatalf("%s, %v: %v", m.Name(), dual, err)
			}
			return res
		}
		for _, m := range methods {
			got, want := solve(disk, m), solve(dense, m)
			if got.Status != want.Status || !(math.Abs(got.Objective-want.Objective) <= 2e-5*want.Objective) ||
				got.Certificate.Upper < want.Certificate.Lower || want.Certificate.Upper < got.Certificate.Lower {
				t.Errorf("%s, %v: %v at %.12g in %v on disk, %v at %.12g in %v in memory", m.Name(), dual, got.Status,
					got.Objective, got.Certificate, want.Status, want.Objective, want.Certificate)
			}
			sum := 0.0
			for _, y := range got.Weights {
				sum += y
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				t.Errorf("%s, %v: the weights sum to %v", m.Name(), dual, sum)
			}
			memory.Release(arena, got.Weights)
		}
	}
	oracle := newLinear(t, loss, disk, target)
	p := &dro.Problem{Oracle: oracle, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 1e-3, Intercept: true}}
	path := dro.NewPath(p, func(nu float64) dro.Dual { return dro.Simplex{Nu: nu} })
	_, columns, _ := oracle.Dims()
	for range 3 {
		if _, err := dro.Certify(p, make([]float64, columns)); err != nil {
			t.Fatal(err)
		}
		if err := path.Add(make([]float64, columns), slices.Repeat([]float64{1}, len(target))); err != nil {
			t.Fatal(err)
		}
	}
	if disk.Free(); arena.Slices() > 0 {
		t.Errorf("%d vectors were not given back", arena.Slices())
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%s has a name", files[0].Name())
	}
}
