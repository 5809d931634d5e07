package tune

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/train/level"
)

const (
	// ridgeRows is the number of rows for each column from which the results for μ = 1/n and 100/n differ by
	// less than a standard error, so that μ is not searched.
	ridgeRows = 1000
	maxMu     = 30   // maximum for standardised columns, beyond which the criterion is flat
	pathGain  = 0.25 // number of standard errors above which an improvement counts
	pathStale = 2    // number of steps without an improvement after which a path ends
)

// pathFactors lists the first multiples of μ on a path. The largest comes first, since other solutions are
// warm-started from it.
var pathFactors = []float64{100, 10, 1}

// A path is a sequence of candidates with the same level and different μ.
type path struct {
	family string
	level  level.Level
	best   int // index of the candidate with the least value
	top    int // index of the candidate with the largest μ
	bottom int // index of the candidate with the smallest μ
	up     int // number of steps to larger μ without an improvement
	down   bool
}

// startPath returns a path and its first candidates, whose μ are the given multiples of the table's μ, in descending
// order.
func (c *selectionRun) startPath(family string, l level.Level, factors []float64) (*path, []Candidate) {
	var out []Candidate
	for _, f := range factors {
		out = append(out, c.table.newCandidate(family, l, f))
	}
	first := len(c.Candidates)
	return &path{family: family, level: l, best: first, top: first, bottom: first + len(factors) - 1}, out
}

// solve cross-validates further candidates; from holds the index of the candidate from which each is warm-started,
// or −1 for the solution of ERM on all rows.
func (c *selectionRun) solve(ctx context.Context, more []Candidate, from []int) error {
	specs := map[*foldRun][]spec{}
	for i, k := range more {
		run := c.runOf(k.Family)
		s := spec{level: k.Level, ridge: 1, from: -1}
		if mu := c.table.Primal.Mu; mu > 0 {
			s.ridge = k.Mu / mu
		}
		// otherwise it was fitted to other rows
		if from[i] >= 0 && from[i] < len(c.solved) && c.solved[from[i]].run == run {
			s.from = c.solved[from[i]].spec
		}
		c.solved = append(c.solved, solvedSpec{run, len(run.specs) + len(specs[run])})
		specs[run] = append(specs[run], s)
	}
	first := len(c.Candidates)
	c.Candidates = append(c.Candidates, more...)
	for _, run := range []*foldRun{c.run, c.validationRun} {
		if specs[run] != nil {
			if err := run.fitSpecs(ctx, specs[run], c.start); err != nil {
				return err
			}
		}
	}
	for _, s := range c.solved[first:] {
		margin := s.run.margins[s.spec]
		c.values.losses = append(c.values.losses, c.measured.lossesOf(margin))
		switch {
		case s.run.leads != nil:
			c.addErrors(s.run.leads[s.spec])
		case c.table.hasClasses():
			c.addErrors(c.measured.leadsOf(margin))
		}
	}
	return nil
}

// addErrors adds the errors of a candidate, given the margins of the rows' classes.
func (c *selectionRun) addErrors(lead []float64) {
	wrong := make([]float64, len(lead))
	for j, m := range lead {
		if m < 0 {
			wrong[j] = 1
		}
	}
	c.values.errors = append(c.values.errors, wrong)
	if c.measure.countEligible() > 0 {
		c.values.smoothed = append(c.values.smoothed, c.measure.smoothErrors(lead))
	}
}

// A solvedSpec identifies the spec of a candidate.
type solvedSpec struct {
	run  *foldRun
	spec int
}

// runOf returns the run that fits the candidates of a family.
func (c *selectionRun) runOf(family string) *foldRun {
	if family == validationFamily {
		return c.validationRun
	}
	return c.run
}

// chooseBest sets the best candidate of a path, whose first candidates have been solved.
func (c *selectionRun) chooseBest(p *path) {
	for i := p.top; i <= p.bottom; i++ {
		if c.valueOf(i) < c.valueOf(p.best) {
			p.best = i
		}
	}
}

// extendPaths adds candidates beyond the ends of the paths as long as they improve the criterion. It increases μ by
// factors of 10 up to the largest first μ and by factors of √10 beyond, until two steps do not improve the criterion.
// For ERM it also tries a tenth of the table's μ.
func (c *selectionRun) extendPaths(ctx context.Context, paths []*path) error {
	mu := c.table.Primal.Mu
	far := pathFactors[0] * mu * (1 - 1e-9)
	for {
		var more []Candidate
		var from []int
		var of []*path
		for _, p := range paths {
			top, bottom := c.Candidates[p.top].Mu, c.Candidates[p.bottom].Mu
			step, stale, least := 10.0, 1, bottom
			if top >= far {
				step = math.Sqrt(10)
			}
			if c.Candidates[p.best].Mu >= far {
				stale = pathStale
			}
			if p.family == "erm" {
				least = 0.1 * mu
			}
			switch {
			case (p.best == p.top || p.up > 0) && p.up < stale && step*top <= maxMu:
				more, from = append(more, c.table.newCandidate(p.family, p.level, step*top/mu)), append(from, p.top)
			case p.best == p.bottom && !p.down && bottom > least*(1+1e-9):
				more, from = append(more, c.table.newCandidate(p.family, p.level, bottom/mu/10)), append(from, p.bottom)
			default:
				continue
			}
			of = append(of, p)
		}
		if more == nil {
			return nil
		}
		first := len(c.Candidates)
		if err := c.solve(ctx, more, from); err != nil {
			return err
		}
		for i, p := range of {
			k := first + i
			gain, se := c.judge().compare(c.Criterion, p.best, k)
			better := gain > pathGain*se
			if c.Candidates[k].Mu < c.Candidates[p.bottom].Mu {
				p.bottom, p.down = k, !better
			} else if p.top = k; better {
				p.up = 0
			} else {
				p.up++
			}
			if better {
				p.best = k
			}
		}
	}
}
