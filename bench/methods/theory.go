package methods

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// TheorySchema names the JSON of a TheoryReport.
const TheorySchema = "drotrain-bench-theory/1"

// A TheoryReport holds the claims of the paper as experiments, every method with
// its theoretical schedule.
type TheoryReport struct {
	Schema      string       `json:"schema"`
	Quick       bool         `json:"quick"`
	Seed        uint64       `json:"seed"`
	Seeds       int          `json:"seeds"` // runs of a stochastic method; iterations are their geometric mean
	Experiments []Experiment `json:"experiments"`
}

// An Experiment varies one quantity and counts iterations.
type Experiment struct {
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Title   string   `json:"title"`
	Short   string   `json:"short"` // title of its panel
	Problem string   `json:"problem"`
	Claim   string   `json:"claim"`
	X       string   `json:"x"` // what X is
	Y       string   `json:"y"` // what Y is
	Series  []Series `json:"series"`
}

// A Kind says what a Series' Measured and Theorem are.
type Kind string

const (
	Exponents Kind = "exponent" // of Y in X, or in 1/X or ln 1/X for ε
	Ratios    Kind = "ratio"    // Y at the last X
	Growths   Kind = "growth"   // Y at the last X by Y at the first
)

// A Series is one method in one experiment.
type Series struct {
	Method    string    `json:"method"`
	X         []float64 `json:"x"`
	Y         []float64 `json:"y"`                   // measured
	Predicted []float64 `json:"predicted,omitempty"` // by the theorem, up to a constant
	AsSampled []float64 `json:"predicted_as_sampled,omitempty"`
	Measured  *float64  `json:"measured"` // by the Kind; null if the runs did not give one
	Theorem   float64   `json:"theorem"`  // what the theorem says
	Verdict   Verdict   `json:"verdict"`
	Why       string    `json:"why,omitempty"`
}

// A Verdict says how a measured exponent compares with an upper bound.
type Verdict string

const (
	Reproduced    Verdict = "reproduced"     // within the tolerance
	Better        Verdict = "better"         // below the bound: no contradiction
	NotReproduced Verdict = "not reproduced" // above the bound
	NotRun        Verdict = "not run"        // no result
)

// exponentTolerance is how far a fitted exponent may be from the theorem's.
const exponentTolerance = 0.15

// judge fills in the verdict on the exponent e.
func (s *Series) judge(e, theorem float64) {
	s.Theorem = theorem
	switch {
	case math.IsNaN(e):
		s.Verdict = NotRun
		if s.Why == "" {
			s.Why = "too few points within the limit of iterations"
		}
		return
	case e > theorem+exponentTolerance:
		s.Verdict = NotReproduced
	case e < theorem-exponentTolerance:
		s.Verdict = Better
	default:
		s.Verdict = Reproduced
	}
	s.Measured = &e
}

// A lab runs the experiments of one report.
type lab struct {
	ctx      context.Context
	quick    bool
	seed     uint64
	seeds    int
	most     int // iterations of one run
	progress func(string)
}

// Theory runs all experiments. quick takes a few seconds, the full report a few
// minutes; progress, which may be nil, is told of every experiment.
func Theory(ctx context.Context, quick bool, seed uint64, progress func(string)) (*TheoryReport, error) {
	l := &lab{ctx: ctx, quick: quick, seed: seed, seeds: 3, most: 4_000_000, progress: progress}
	if quick {
		l.seeds, l.most = 1, 1_000_000
	}
	if progress == nil {
		l.progress = func(string) {}
	}
	r := &TheoryReport{Schema: TheorySchema, Quick: quick, Seed: seed, Seeds: l.seeds}
	for _, run := range []func() ([]Experiment, error){l.epsilon, l.mixed, l.primal, l.blocks, l.games, l.training} {
		e, err := run()
		if err != nil {
			return nil, err
		}
		r.Experiments = append(r.Experiments, e...)
	}
	return r, nil
}

// A job is one method on one instance.
type job struct {
	in      *instance
	method  theoryMethod
	block   int
	uniform bool
	goal    float64

	runs   [][]sample // one for every seed
	passes float64    // of an iteration
}

// reach returns the geometric mean over the seeds of the iterations to goal, NaN
// if a run did not get there.
func (j *job) reach(goal float64) float64 {
	sum := 0.0
	for _, s := range j.runs {
		sum += math.Log(reach(s, goal))
	}
	return math.Exp(sum / float64(len(j.runs)))
}

// do runs the jobs on all processors. The results do not depend on their number.
func (l *lab) do(jobs []*job) error {
	work := make(chan *job)
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range work {
				seeds := l.seeds
				if j.method == fullVector {
					seeds = 1
				}
				for s := range seeds {
					out, passes, err := j.in.run(l.ctx, j.method.method(j.block, j.uniform), j.goal, l.most, l.seed+uint64(s))
					if err != nil {
						mu.Lock()
						if first == nil {
							first = fmt.Errorf("%v: %w", j.method, err)
						}
						mu.Unlock()
						break
					}
					j.runs, j.passes = append(j.runs, out), passes
				}
			}
		}()
	}
	for _, j := range jobs {
		work <- j
	}
	close(work)
	wg.Wait()
	if first == nil {
		first = l.ctx.Err()
	}
	return first
}
