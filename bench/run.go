package main

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

const (
	relativeGap  = 1e-6
	prefixesFrom = 50_000 // rows above which auto works on prefixes
	cvxpyRows    = 10_000 // rows up to which the interior-point peer is asked
)

// A series is every run of one solver on one cell.
type series struct {
	Solver   string    `json:"solver"`
	Compared bool      `json:"compared,omitempty"` // the faster of scipy's two series
	Status   string    `json:"status"`
	Seconds  []float64 `json:"seconds"`
	Passes   float64   `json:"passes"`        // ours: passes; peers: evaluations or iterations
	Gap      float64   `json:"gap"`           // of the checker, the largest of the runs
	RSS      float64   `json:"rss,omitempty"` // bytes, peak of the subprocess

	x            []float64 // checked last
	upper, lower float64   // of the checker: the highest objective, the best bound
}

// A result is what was measured on one cell.
type result struct {
	Cell      string    `json:"cell"`
	Problem   cell      `json:"problem"`
	Series    []*series `json:"series"`
	Speedup   []float64 `json:"speedup"`   // time of scipy ÷ time of ours, pair by pair
	Bandwidth bandwidth `json:"bandwidth"` // of a plain sum over this design
	Fraction  float64   `json:"fraction"`  // of the sum's by two goroutines that ours reads the design at
	Sound     bool      `json:"sound"`     // no lower bound of the checker lies above an upper one
}

func (r *result) of(solver string) *series {
	for _, s := range r.Series {
		if s.Solver == solver || (solver == "scipy" && s.Compared) {
			return s
		}
	}
	return nil
}

// oneThread is the time of scipy over ours, both on one thread; 0 without scipy.
func (r *result) oneThread() float64 {
	if s := r.of("scipy-1"); s != nil {
		return median(s.Seconds) / median(r.of("ours-1").Seconds)
	}
	return 0
}

// A runner solves the cell once, in at most so many seconds.
type runner struct {
	series *series
	once   func(seconds float64) (reply, error)
	every  bool // in every repeat, else in the first alone
}

func ours(c *cell) dro.Method {
	if c.N > prefixesFrom {
		return dro.Growing{}
	}
	return dro.Newton{}
}

// inProcess times dro.Solve with the method m, and nothing else.
func inProcess(p *dro.Problem, name string, m dro.Method, threads int, every bool) runner {
	return runner{&series{Solver: name}, func(limit float64) (reply, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(limit*float64(time.Second)))
		defer cancel()
		s := dro.DefaultSettings()
		s.RelativeGap = relativeGap
		runtime.GC()
		began := time.Now()
		res, err := dro.Solve(ctx, p, m, s)
		seconds := time.Since(began).Seconds()
		if res == nil {
			return reply{}, err
		}
		return reply{Seconds: seconds, Status: res.Status.String(), X: res.X, RSS: 0, Evals: int(math.Round(2 * res.Passes))}, nil
	}, every}
}

// measure runs every solver on the cell, in turn, and checks what they return.
func measure(o *options, c *cell, t *table, b bandwidth) (*result, error) {
	var loss losses.Loss
	loss, err := losses.Parse(c.Loss, 1)
	if err != nil {
		return nil, err
	}
	rows, err := design.NewDense(t.n, t.d, t.x)
	if err != nil {
		return nil, err
	}
	oracle, err := losses.NewLinear(loss, rows, t.target(c.Loss))
	if err != nil {
		return nil, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: c.Nu}, Primal: dro.L2{Mu: c.Mu}}
	if c.Penalty == "chi2" {
		p.Dual = dro.ChiSquare{Nu: c.Nu}
	}
	runners := []runner{inProcess(p, "ours", ours(c), o.threads, true), inProcess(p, "ours-1", ours(c), 1, true)}
	for _, spec := range peerSpecs {
		if o.missing[spec.module] || (spec.module == "cvxpy" && (c.N > cvxpyRows || c.Group == "sweep-n")) {
			continue
		}
		peer, err := startPeer(o, spec, c, t)
		if errors.Is(err, errMissing) {
			o.missing[spec.module] = true
			o.logf("%s: not installed: %s", spec.module, installLine)
			continue
		}
		if err != nil {
			return nil, err
		}
		defer peer.stop()
		runners = append(runners, runner{&series{Solver: spec.name}, peer.solve, spec.module == "scipy"})
	}
	runners = append(runners, inProcess(p, "lbfgs", dro.LBFGS{}, o.threads, false), inProcess(p, "separable", dro.SeparableBlock{}, o.threads, false))
	r := &result{Cell: c.Name(), Problem: *c, Bandwidth: b}
	for k := range o.repeats {
		order := slices.Clone(runners)
		if k%2 == 1 {
			slices.Reverse(order) // no solver always follows the same one
		}
		for _, run := range order {
			if k > 0 && !run.every {
				continue
			}
			limit := o.seconds
			if first := firstTime(runners, "scipy-1"); k == 0 && run.series.Solver == "scipy-2" && first > 0 {
				limit = 2 * first // beyond, it has lost
			}
			if err := run.add(c, t, limit); err != nil {
				return nil, err
			}
		}
		if k == 0 {
			keepFaster(runners)
		}
	}
	for _, run := range runners {
		if len(run.series.Seconds) > 0 {
			r.Series = append(r.Series, run.series)
		}
	}
	r.conclude()
	return r, nil
}

// firstTime returns the time of the first run of the solver called name, 0 for none.
func firstTime(runners []runner, name string) float64 {
	for _, r := range runners {
		if r.series.Solver == name && len(r.series.Seconds) > 0 {
			return r.series.Seconds[0]
		}
	}
	return 0
}

// keepFaster goes on with the faster of scipy's two runners, which is the one
// compared from then on.
func keepFaster(runners []runner) {
	var best *runner
	for i := range runners {
		r := &runners[i]
		if !strings.HasPrefix(r.series.Solver, "scipy") {
			continue
		}
		r.every = false
		if best == nil || r.series.Status == "certified" && r.series.Seconds[0] < best.series.Seconds[0] {
			best = r
		}
	}
	if best != nil {
		best.every = true
		best.series.Compared = true
	}
}

// add performs one run and checks its x.
func (r *runner) add(c *cell, t *table, limit float64) error {
	reply, err := r.once(limit)
	if err != nil {
		return err
	}
	s := r.series
	if s.Status == "" || s.Status == "certified" || s.Status == "solved" {
		s.Status = reply.Status // the worst of the runs
	}
	s.Seconds = append(s.Seconds, reply.Seconds)
	s.RSS = max(s.RSS, reply.RSS)
	s.Passes = float64(reply.Evals)
	if !strings.HasPrefix(s.Solver, "scipy") && s.Solver != "cvxpy" {
		s.Passes /= 2
	}
	if reply.X == nil {
		s.Gap = -1
		return nil
	}
	if !slices.Equal(reply.X, s.x) {
		b := check(c, t, reply.X)
		if s.x == nil {
			s.upper, s.lower = b.Upper, b.Lower
		}
		s.x, s.Gap = reply.X, max(s.Gap, b.Gap())
		s.upper, s.lower = min(s.upper, b.Upper), max(s.lower, b.Lower)
	}
	return nil
}

// conclude derives what compares the series.
func (r *result) conclude() {
	r.Sound = true
	for _, a := range r.Series {
		for _, b := range r.Series {
			if a.x != nil && b.x != nil && a.lower > b.upper+1e-12*math.Abs(b.upper) {
				r.Sound = false
			}
		}
	}
	own, scipy := r.of("ours"), r.of("scipy")
	c := &r.Problem
	r.Fraction = 2 * own.Passes * float64(c.N*c.D*8) / median(own.Seconds) / r.Bandwidth.Two
	if scipy != nil {
		for k := range min(len(own.Seconds), len(scipy.Seconds)) {
			r.Speedup = append(r.Speedup, scipy.Seconds[k]/own.Seconds[k])
		}
	}
}
