package solvetest

import (
	"context"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// For the tests of package solve_test.
const (
	ClosedForm = drotest.ClosedForm

	KullbackLeibler = side.KullbackLeibler
	PearsonChi2     = side.PearsonChi2

	NotSolved    = saddle.NotSolved
	Certified    = saddle.Certified
	Limit        = saddle.Limit
	Stalled      = saddle.Stalled
	Cancelled    = saddle.Cancelled
	Inconsistent = saddle.Inconsistent
)

var Long = drotest.Long

// The types of the internal packages by the names that tests use.
type (
	Problem       = saddle.Problem
	Oracle        = saddle.Oracle
	Dual          = saddle.Dual
	Primal        = saddle.Primal
	Method        = saddle.Method
	Settings      = engine.Settings
	TestResult    = saddle.Result
	Certificate   = saddle.Certificate
	Check         = saddle.Check
	Status        = saddle.Status
	Need          = saddle.Need
	Smooth        = saddle.Smooth
	Conditioned   = saddle.Conditioned
	Newton        = dro.Newton
	LBFGS         = dro.LBFGS
	OverflowError = saddle.OverflowError

	Simplex    = side.Simplex
	Orthant    = side.Orthant
	Divergence = side.Divergence
	Groups     = side.Groups
	Box        = side.Box
	L2         = saddle.L2
	Entropy    = saddle.Entropy
)

var (
	NewGroups   = side.NewGroups
	NewBilinear = side.NewBilinear
	Unmet       = engine.Unmet
)

// Solve is dro.Solve by a method, nil for that of Choose.
func Solve(ctx context.Context, p *Problem, m Method, s Settings) (*TestResult, error) {
	s.Method = m
	return dro.Solve(ctx, p, &s.Options)
}

var (
	Choose  = dro.Choose
	Certify = dro.Certify
	NewPath = dro.NewPath
)

// DefaultSettings returns the settings that zero options stand for.
func DefaultSettings() Settings { return engine.DefaultSettings() }

// SolveBy is Solve.
func SolveBy(ctx context.Context, p *Problem, m Method, s Settings) (*TestResult, error) {
	return Solve(ctx, p, m, s)
}

// newDense, newLinear, newGroups and solveBy return what must be there.
func newDense(t testing.TB, n, d int, x []float64) *design.Dense {
	t.Helper()
	z, err := design.NewDense(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func newLinear(t testing.TB, loss losses.Loss, z design.Matrix, target []float64) *losses.Linear {
	t.Helper()
	o, err := losses.NewLinear(loss, z, target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func newGroups(t testing.TB, near Simplex, w []float64, of ...[]int) *Groups {
	t.Helper()
	g, err := NewGroups(near, w, of...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func solveBy(t testing.TB, p *Problem, m Method, s Settings) *TestResult {
	t.Helper()
	res, err := Solve(context.Background(), p, m, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// They are for the tests of package solve_test too.
var NewDense, NewLinear, SolveOrFail = newDense, newLinear, solveBy

// NewGroupsOver is NewGroups for samples that several ranks share.
func NewGroupsOver(rows *ranks.Rows, near Simplex, w []float64, of ...[]int) (*Groups, error) {
	var all [][]int32
	for _, way := range of {
		ids := make([]int32, len(way))
		for j, g := range way {
			ids[j] = int32(g)
		}
		all = append(all, ids)
	}
	return side.NewGroupsOver(rows, near, w, all...)
}

// NewFixed returns the adversary of given weights.
func NewFixed(w []float64) (Simplex, error) {
	return Simplex{Divergence: PearsonChi2, Alpha: 1, Weights: w}, nil
}

// NewFixedOver is NewFixed for samples that several ranks share.
func NewFixedOver(rows *ranks.Rows, w []float64) (Dual, error) {
	d, _ := NewFixed(w)
	return d.WithRows(rows), nil
}
