// Package methods runs all methods of package dro and some baselines on one problem, and reports the passes and
// seconds to certified gaps: `go -C bench run ./experiments methods`. The best place to start reading is Compare.
//
// Work is counted in passes. Computing the losses and slopes of all samples is half a pass, and so is computing a
// weighted gradient; checks and Hessians are included. All random choices are seeded, so that passes and iterations
// are the same on every machine, unlike seconds.
package methods

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/train"
)

// Schema is the name of the JSON layout of a Report.
const Schema = "drotrain-bench-methods/1"

// Targets lists the relative gaps for which tables show the work.
var Targets = []float64{1e-3, 1e-6, 1e-9}

// An entry is a method in a comparison.
type entry struct {
	name   string     // a short, unique name
	label  string     // name for readers, with the algorithm in the paper
	method dro.Method // nil for the stochastic subgradient method of this package
}

// entries lists the compared methods: those of the paper, Newton's method and baselines.
var entries = []entry{
	{"separable", "separable (Alg. 6)", primaldual.SeparableBlock{}},
	{"separable-3", "separable, three touches (Alg. 6)", primaldual.SeparableBlock{ThreeTouches: true}},
	{"separable-historical", "separable, historical (Alg. 5)", primaldual.SeparableBlock{Strategy: primaldual.Historical}},
	{"stochastic", "stochastic (Alg. 4)", primaldual.Stochastic{}},
	{"stochastic-historical", "stochastic, historical (Alg. 3)", primaldual.Stochastic{Strategy: primaldual.Historical}},
	{"full", "full vector (Alg. 2)", primaldual.FullVector{}},
	{"newton", "Newton", dro.Newton{}},
	{"lbfgs", "L-BFGS (baseline)", dro.LBFGS{}},
	{"subgradient", "stochastic subgradient (baseline)", nil},
}

// A ProblemInfo describes the problem in a report.
type ProblemInfo struct {
	Data    string  `json:"data"`
	Target  string  `json:"target"`
	N       int     `json:"n"`
	D       int     `json:"d"`
	Loss    string  `json:"loss"`
	Penalty string  `json:"penalty"`
	Nu      float64 `json:"nu"`
	Mu      float64 `json:"mu"`
}

// NewProblem returns the robust problem that training with cfg on every row of the frame would
// solve, and a description of it.
func NewProblem(ctx context.Context, frame *data.Frame, cfg train.Config) (*dro.Problem, ProblemInfo, error) {
	problem, cfg, err := train.NewProblem(ctx, frame, cfg)
	if err != nil {
		return nil, ProblemInfo{}, err
	}
	n, d, _ := problem.Oracle.Dims()
	return problem, ProblemInfo{
		Data: cfg.Data, Target: cfg.Target, N: n, D: d,
		Loss: cfg.Loss, Penalty: string(cfg.Penalty), Nu: *cfg.Nu, Mu: *cfg.Mu,
	}, nil
}

// A Report is a comparison of methods on one problem.
type Report struct {
	Schema    string      `json:"schema"`
	Problem   ProblemInfo `json:"problem"`
	Gap       float64     `json:"gap"`
	MaxPasses float64     `json:"max_passes"`
	Seed      uint64      `json:"seed"`
	Methods   []Run       `json:"methods"`
}

// A Run holds the results of a method. Passes and Seconds include the checks.
type Run struct {
	Name       string      `json:"name"`
	Label      string      `json:"label"`
	Status     string      `json:"status"`
	Iterations int         `json:"iterations"`
	Passes     float64     `json:"passes"`
	Seconds    float64     `json:"seconds"`
	Gap        *float64    `json:"relative_gap"` // null if there is no lower bound
	Reached    []Reached   `json:"reached"`
	Trace      []TraceLine `json:"trace"`
	Note       string      `json:"note,omitempty"`
}

// Reached is the work needed to reach a relative gap; null if it was not reached.
type Reached struct {
	Gap     float64  `json:"relative_gap"`
	Passes  *float64 `json:"passes"`
	Seconds *float64 `json:"seconds"`
}

// A TraceLine is a check. Its bounds are the best ones so far.
type TraceLine struct {
	Passes  float64  `json:"passes"`
	Seconds float64  `json:"seconds"`
	Upper   *float64 `json:"upper"`
	Lower   *float64 `json:"lower"`
	Gap     *float64 `json:"relative_gap"`
}

// Options configures a comparison.
type Options struct {
	Gap       float64 // relative gap at which a method stops
	MaxPasses float64 // maximum number of passes of every method
	Seed      uint64
	Progress  func(string) // called with the name of every method; may be nil
}

// Compare runs all methods on the problem, starting from zero. If a method does not support the problem, its Note
// states the reason.
func Compare(ctx context.Context, p *dro.Problem, info ProblemInfo, o Options) (*Report, error) {
	r := &Report{Schema: Schema, Problem: info, Gap: o.Gap, MaxPasses: o.MaxPasses, Seed: o.Seed}
	for _, e := range entries {
		if o.Progress != nil {
			o.Progress(e.label)
		}
		s := dro.Options{}
		s.RelativeGap, s.MaxPasses, s.Seed, s.CheckEvery = o.Gap, o.MaxPasses, o.Seed, 1
		run := Run{Name: e.name, Label: e.label}
		var res *dro.Result
		var err error
		if e.method == nil {
			res, run.Note, err = solveBySubgradient(ctx, p, s)
		} else {
			s.Method = primaldual.AfterPrefix(e.method)
			res, err = dro.Solve(ctx, p, &s)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			run.Status, run.Note = dro.NotSolved.String(), err.Error()
		default:
			run.fill(res, o.Gap)
		}
		r.Methods = append(r.Methods, run)
	}
	return r, nil
}

// fill stores the outcome of a solve with the required relative gap in m.
func (m *Run) fill(res *dro.Result, gap float64) {
	m.Status, m.Iterations, m.Passes, m.Seconds = res.Status.String(), res.Iterations, res.Passes, res.Elapsed.Seconds()
	m.Gap = finiteOrNil(res.Certificate.Relative())
	trace := res.Trace
	if k := len(trace) - 1; k < 0 || trace[k].Certificate != res.Certificate { // certified between two check points
		trace = append(trace[:k+1:k+1], dro.Check{Certificate: res.Certificate, Passes: res.Passes, Elapsed: res.Elapsed})
	}
	for _, target := range Targets {
		if target < gap {
			continue
		}
		t := Reached{Gap: target}
		for _, c := range trace {
			if c.Relative() <= target {
				t.Passes, t.Seconds = finiteOrNil(c.Passes), finiteOrNil(c.Elapsed.Seconds())
				break
			}
		}
		m.Reached = append(m.Reached, t)
	}
	for _, c := range trace {
		m.Trace = append(m.Trace, TraceLine{c.Passes, c.Elapsed.Seconds(), finiteOrNil(c.Upper), finiteOrNil(c.Lower),
			finiteOrNil(c.Relative())})
	}
}

// finiteOrNil returns nil for NaN and infinities, which JSON cannot encode.
func finiteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
