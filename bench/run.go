package main

import (
	"encoding/json"
	"math"
	"slices"
)

const (
	relativeGap = 1e-6
	convexRows  = 10_000  // maximum number of rows for which all of the others run
	authorsRows = 100_000 // number of rows of the largest problems for the authors' code
	// maximum time, in numbers of runs, for the authors' code to find its settings (race in peers_authors.py);
	// one of the runs is measured
	raceRuns = 7
)

// A series holds all runs of one solver on one cell.
type series struct {
	Solver   string    `json:"solver"`
	Compared bool      `json:"compared,omitempty"` // this is the faster of the two series of scipy
	Status   string    `json:"status"`
	Seconds  []float64 `json:"seconds"`
	Passes   float64   `json:"passes"` // passes of our solver; evaluations or iterations of peers
	// largest gap over the runs, which the checker proves from x alone
	Gap float64 `json:"gap"`
	// excess of the objective over the best lower bound of any solver, relative
	Excess float64 `json:"excess,omitempty"`
	RSS    float64 `json:"rss,omitempty"` // peak memory of the subprocess, in bytes

	Settings json.RawMessage `json:"settings,omitempty"` // settings of the authors' code

	x            []float64 // point that was checked last
	upper, lower float64   // bounds of the checker: the highest objective and the best lower bound
}

func (s *series) certified() bool { return s.Status == "certified" }

// isSolved reports whether the solver ended by its own rule or, for scipy and the authors' code, within the gap,
// and not at its time limit.
func (s *series) isSolved() bool {
	// a status of cvxpy, whose accuracy the excess shows
	return s.certified() || s.Status == "solved" || s.Status == "optimal_inaccurate"
}

// A result is what was measured on one cell.
type result struct {
	Cell    string    `json:"cell"`
	Problem cell      `json:"problem"`
	Series  []*series `json:"series"`
	Speedup []float64 `json:"speedup"` // ratio of the time of scipy to ours, pair by pair
	Pass    float64   `json:"pass"`    // seconds for one pass of our solver
	Sound   bool      `json:"sound"`   // no lower bound of the checker exceeds an upper bound
}

// seriesOf returns the series of a solver, or nil if it did not run. For "scipy" it returns the series that is
// compared.
func (r *result) seriesOf(solver string) *series {
	for _, s := range r.Series {
		if s.Solver == solver || solver == "scipy" && s.Compared {
			return s
		}
	}
	return nil
}

// ratio returns the ratio of the solver's time to ours.
func (r *result) ratio(s *series) float64 {
	return median(s.Seconds) / median(r.seriesOf("ours").Seconds)
}

// oneThread returns the ratio of the time of scipy to ours, both on one thread, or 0 if it was not measured.
func (r *result) oneThread() float64 {
	own, scipy := r.seriesOf("ours-1"), r.seriesOf("scipy-1")
	if own == nil || scipy == nil {
		return 0
	}
	return median(scipy.Seconds) / median(own.Seconds)
}

// limit names the resource that limits our solver on the cell, by the rule in README.md.
func (r *result) limit() string {
	own := r.seriesOf("ours")
	switch {
	case own.Passes > 10:
		return "passes"
	case own.Passes*r.Pass < 0.5*median(own.Seconds):
		return "steps"
	}
	return "arithmetic"
}

// A runner is a solver in the measurement of one cell.
type runner struct {
	spec   peerSpec
	every  bool // runs in every repeat; otherwise only in the first
	series *series
}

func ours(o *options) peerSpec { return peerSpec{"ours", "ours", o.threads} }

// runners returns the solvers that run on the cell, in their order in the first repeat.
func runners(o *options, c *cell, turns bool) []*runner {
	var out []*runner
	add := func(spec peerSpec, every bool) {
		if !o.missing[spec.module] {
			out = append(out, &runner{spec, every, &series{Solver: spec.name}})
		}
	}
	add(ours(o), true)
	add(peerSpec{"scipy-2", "scipy", 2}, true)
	if turns {
		return out
	}
	add(peerSpec{"ours-1", "ours", 1}, true)
	add(peerSpec{"scipy-1", "scipy", 1}, true)
	for _, peer := range others {
		if c.accepts(peer) {
			add(peerSpec{peer, peer, 2}, false)
		}
	}
	return out
}

// measure runs every solver on the cell, in turn, and checks the points that they return.
func (f *fleet) measure(c *cell) (*result, error) {
	o := f.o
	r := &result{Cell: c.Name(), Problem: *c, Sound: true}
	all := runners(o, c, f.turns)
	f.checked = nil
	optimum, err := f.optimum(c)
	if err != nil {
		return nil, err
	}
	for k := range o.repeats {
		order := slices.Clone(all)
		if k%2 == 1 {
			slices.Reverse(order) // so that no solver always follows the same one
		}
		for _, run := range order {
			// a solver that once failed to solve the cell does not run again
			if k > 0 && (!run.every || len(run.series.Seconds) == 0 || !run.series.isSolved()) || o.missing[run.spec.module] {
				continue
			}
			q := request{Cell: *c, Files: f.files(), Seconds: o.seconds, Threads: run.spec.threads,
				Gap: relativeGap, Floor: optimum.Lower, Radius: optimum.Radius, Pass: k == 0 && run.spec.name == "ours"}
			if err := f.run(run, c, q, r); err != nil {
				return nil, err
			}
		}
	}
	for _, run := range all {
		if len(run.series.Seconds) > 0 {
			r.Series = append(r.Series, run.series)
		}
	}
	r.conclude(optimum.Lower)
	return r, nil
}

// run performs one run and checks its x.
func (f *fleet) run(run *runner, c *cell, q request, r *result) error {
	p, err := f.peerFor(run.spec)
	if err != nil {
		return f.o.recordMissing(run.spec.module, err)
	}
	got, err := p.ask(q)
	if f.turns || err != nil {
		f.stop()
	}
	if err != nil {
		stopAll(f.o.standing)
	}
	if err != nil {
		if run.spec.module == "ours" {
			return err
		}
		got = reply{Status: "failed", Seconds: q.Seconds}
	}
	if q.Pass {
		r.Pass = got.PassSeconds
	}
	return run.series.add(f, c, &got)
}

// optimum bounds the optimum of the cell a hundred times more tightly than required, if our solver can.
func (f *fleet) optimum(c *cell) (Bounds, error) {
	p, err := f.peerFor(ours(f.o))
	if err != nil {
		return Bounds{}, err
	}
	got, err := p.ask(request{Cell: *c, Seconds: f.o.seconds, Threads: f.o.threads, Gap: relativeGap / 1000})
	if err != nil {
		return Bounds{}, err
	}
	return check(c, f.t, got.X, relativeGap/100)
}

// add records a run and checks its x.
func (s *series) add(f *fleet, c *cell, got *reply) error {
	if s.Status == "" || s.isSolved() {
		s.Status = got.Status // record the worst status of all runs
	}
	s.Seconds = append(s.Seconds, got.Seconds)
	s.RSS = max(s.RSS, got.RSS)
	s.Passes, s.Settings = got.Passes, got.Settings
	if got.X == nil {
		s.Gap = -1
		return nil
	}
	if slices.Equal(got.X, s.x) {
		return nil
	}
	b, err := f.check(c, got.X)
	if err != nil {
		return err
	}
	if s.x == nil {
		s.upper, s.lower = b.Upper, b.Lower
	}
	s.x, s.Gap = got.X, max(s.Gap, b.Gap())
	s.upper, s.lower = max(s.upper, b.Upper), max(s.lower, b.Lower)
	return nil
}

// conclude computes the results that compare the series, given a lower bound of the optimum.
func (r *result) conclude(best float64) {
	for _, s := range r.Series {
		if s.x != nil {
			best = max(best, s.lower)
		}
	}
	for _, s := range r.Series {
		if s.x == nil {
			continue
		}
		s.Excess = (s.upper - best) / max(1e-12, math.Abs(s.upper))
		if s.Excess < -1e-10 {
			r.Sound = false
		}
	}
	own, one, two := r.seriesOf("ours"), r.seriesOf("scipy-1"), r.seriesOf("scipy-2")
	scipy := two
	if one != nil && (two == nil || one.certified() && (!two.certified() || median(one.Seconds) < median(two.Seconds))) {
		scipy = one
	}
	if scipy == nil {
		return
	}
	scipy.Compared = true
	for k := range min(len(own.Seconds), len(scipy.Seconds)) {
		r.Speedup = append(r.Speedup, scipy.Seconds[k]/own.Seconds[k])
	}
}
