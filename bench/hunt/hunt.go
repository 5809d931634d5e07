package hunt

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/exact"
)

// Settings bound a hunt. Start from Defaults.
type Settings struct {
	Seed     uint64
	First, N int           // problems First … First+N−1 of the seed
	Exact    int           // one problem in so many is held against 256-bit arithmetic; 0: none
	Methods  int           // beside the chosen one, drawn for every problem; 0: all
	Passes   float64       // of a solve; the chosen method, held against others, may take half as many again
	Patience time.Duration // that a solve is given, and again after it is told to stop
}

// Defaults holds one problem in twenty against exact arithmetic, and the chosen method
// against three others.
func Defaults() Settings {
	return Settings{Seed: 1, N: 1000, Exact: 20, Methods: 3, Passes: 60, Patience: 30 * time.Second}
}

// A Finding is what went wrong on a case.
type Finding struct {
	Kind string // violation, exact (a violation by 256-bit arithmetic), promise (of a Result), resumed (other bits), panic, hang, error
	Case *Case
	What string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s\n    %s", f.Kind, f.Case, f.What) }

// A Tally is what a hunt has done.
type Tally struct {
	Problems, Solves, Checks, Exact int
	Resumed, Points, Fits, Spoilt   int                  // solves in two goes; points and paths bounded alone; tables trained on; problems that are none
	Skipped                         int                  // exact evaluations out of the range of numbers
	Statuses                        map[string]int       // of solves
	Optima                          int                  // problems held against their optimum in 256 bits
	Uncertified                     int                  // problems that the chosen method left without a certificate, another having one
	Slow                            int                  // problems on which it took more than 60 passes and half as many again as the best
	Dear                            int                  // the same of the multiplications with entries of the rows, where they are counted
	Behind                          []string             // all three, in words
	Took                            []map[string]float64 // by problem, of the number and name of a method: the passes to its certificate, or +Inf
	Findings                        []Finding
}

// bounds are those of one solve.
type bounds struct {
	name         string
	lower, upper float64
	x, y         []float64
	status       dro.Status
	passes       float64
	work         float64 // multiplications with entries of the rows; 0: not counted
	above        float64 // the upper bound of the point, where that is above upper: the best on the way to a point next to it
	warm         bool    // the solve started from the solution of another, and is no match for one that did not
}

// Run draws problem after problem, and tells of every finding as it is made.
func Run(ctx context.Context, s Settings, found func(Finding)) *Tally {
	t := &Tally{Statuses: map[string]int{}}
	for k := s.First; k < s.First+s.N && ctx.Err() == nil; k++ {
		before := len(t.Findings)
		t.one(ctx, s, Draw(s.Seed, k))
		for _, f := range t.Findings[before:] {
			found(f)
		}
	}
	return t
}

// Solve hunts on one problem.
func Solve(ctx context.Context, s Settings, c *Case) *Tally {
	t := &Tally{Statuses: map[string]int{}}
	t.one(ctx, s, c)
	return t
}

// methods are those that a problem is solved by; auto is the first.
func methods(p *dro.Problem) []dro.Method {
	n, _, _ := p.Oracle.Dims()
	auto, _ := dro.Choose(p)
	if auto == nil { // of a dual of its own without a penalty: refused like the others
		auto = dro.FullVector{}
	}
	return []dro.Method{auto, dro.Newton{}, dro.NewtonCG{}, dro.Growing{First: 8, Factor: 4}, dro.LBFGS{}, dro.Smoothing{}, dro.Minimax{},
		dro.FullVector{}, dro.FullVector{Schedule: dro.Theory},
		dro.Stochastic{Strategy: dro.Historical}, dro.Stochastic{Strategy: dro.Replacement, Schedule: dro.Theory},
		dro.SeparableBlock{Strategy: dro.Historical}, dro.SeparableBlock{Strategy: dro.Replacement, Schedule: dro.Theory},
		dro.SeparableBlock{Strategy: dro.Replacement, ThreeTouches: true},
		dro.Newton{Sample: 1 + n/3}, dro.Newton{Search: dro.LineSearch{Decrease: 0.3, Shortest: 1e-6, Damping: 1}},
		dro.Growing{First: 2, Factor: 3, Gap: 1e-3, Finish: dro.LBFGS{}}, dro.Growing{First: 4, Factor: 2, Finish: dro.SeparableBlock{}},
		dro.Growing{First: 4, Finish: dro.NewtonCG{}}, dro.LBFGS{Memory: 1},
		dro.OnPrefixes(p, dro.SeparableBlock{}), dro.OnPrefixes(p, dro.LBFGS{}),
		dro.Stochastic{Block: 1}, dro.SeparableBlock{Block: 1 + n/2, Sampling: dro.UniformSampling()}}
}

// one solves a case by every method, each in a storage of its own, some of them in two
// goes, and bounds some points alone.
func (t *Tally) one(ctx context.Context, s Settings, c *Case) {
	t.Problems++
	rng := rand.New(rand.NewPCG(c.Seed, ^uint64(c.Number)))
	first, _, err := c.problem(storages[0], nil)
	if err != nil {
		t.find("error", c, err.Error())
		return
	}
	var all []bounds
	var solved []string // by what of these
	of, number := methods(first), []int{}
	for k, m := range of {
		if len(dro.Unmet(m, first)) == 0 {
			number = append(number, k)
		}
	}
	if c.own == nil && rng.IntN(50) == 0 {
		t.spoil(ctx, s, c, rng)
	}
	if c.own == nil && c.N > 1 && rng.IntN(40) == 0 {
		t.fit(ctx, s, c, rng)
	}
	if len(number) == 0 { // oracles and duals that no method is for
		t.Statuses["refused"]++
		return
	}
	if number[0] != 0 {
		t.find("error", c, fmt.Sprintf("auto is %s, which is not for it, though %s is", of[0].Name(), of[number[0]].Name()))
		return
	}
	if others := number[1:]; s.Methods > 0 {
		rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		number = number[:min(len(number), 1+s.Methods)]
	}
	for _, k := range number {
		m, own := of[k], s
		if k == 0 { // what it may take beside the slowest of the others
			own.Passes = max(few, times*s.Passes)
		}
		in := c.storages()
		storage := in[rng.IntN(len(in)-1)]
		if rng.IntN(60) == 0 {
			storage = in[len(in)-1]
		}
		if c.own == nil && rng.IntN(40) == 0 && everywhere(m, first.Dual) {
			storage = "ranks"
		}
		name := fmt.Sprintf("%s %s #%d", storage, m.Name(), k)
		from := c
		if rng.IntN(16) == 0 && len(all) > 0 && all[0].x != nil { // from a solution
			warm := *c
			from, warm.X0, name = &warm, all[0].x, name+" from a solution"
		}
		b, ok := t.solve(ctx, own, from, name, storage, m, rng.IntN(20) == 0)
		if ok {
			b.warm = from != c
			as := auto
			if k > 0 {
				as = fmt.Sprintf("%2d %s", k, m.Name())
			}
			all, solved = append(all, b), append(solved, as)
		}
	}
	t.took(all, solved)
	t.compare(c, all)
	if len(all) == 0 {
		return
	}
	if rng.IntN(8) == 0 {
		all = append(all, t.points(c, first, rng, all)...)
		t.between(ctx, s, c, first, rng, all)
	}
	if s.Exact > 0 && c.own == nil && c.N <= 3000 && rng.IntN(s.Exact) == 0 {
		t.recompute(c, all)
	}
}

// compare holds every bound against every other, and the method chosen against the others.
func (t *Tally) compare(c *Case, all []bounds) {
	if len(all) == 0 {
		return
	}
	var best *bounds // certified by the fewest passes
	least := math.Inf(1)
	for k, b := range all {
		if b.warm {
			continue
		}
		if b.status == dro.Certified && b.work > 0 {
			least = min(least, b.work)
		}
		if b.status == dro.Certified && (best == nil || b.passes < best.passes) {
			best = &all[k]
		}
	}
	t.overlap(c, all)
	t.judge(c, all[0], best, least)
}

// overlap holds every bound against every other.
func (t *Tally) overlap(c *Case, all []bounds) {
	if len(all) == 0 {
		return
	}
	low, high := all[0], all[0]
	for _, b := range all {
		if b.lower > low.lower {
			low = b
		}
		if b.upper < high.upper {
			high = b
		}
	}
	slack := 0.0
	if c.own != nil && c.own.onWord { // bounds up to the rounding of its values and gradients
		slack = 1e-9 * (1 + math.Abs(low.lower) + math.Abs(high.upper))
	}
	if low.lower > high.upper+slack {
		t.find("violation", c, fmt.Sprintf("%s proves %.17g from below, %s %.17g from above: %.3g apart, relatively %.3g",
			low.name, low.lower, high.name, high.upper, low.lower-high.upper, (low.lower-high.upper)/math.Abs(high.upper)))
	}
}

// The chosen method is behind another if it takes more than so many passes, and so many
// times those of the other.
const few, times = 60, 1.5

// tooSlow is that rule.
func tooSlow(passes, others float64) bool { return passes > max(few, times*others) }

// judge holds the method chosen against the best of all, by passes and by arithmetic, and
// tells where it is behind.
func (t *Tally) judge(c *Case, auto bounds, best *bounds, least float64) {
	if best == nil || auto.status == dro.Cancelled || c.Most > 0 { // cut short
		return
	}
	switch pass := 2 * float64(c.N) * float64(c.D); {
	case auto.status != dro.Certified:
		t.Uncertified++
	case tooSlow(auto.passes, best.passes):
		t.Slow++
	case auto.work > max(few*pass, times*least):
		t.Dear++
	default:
		return
	}
	t.Behind = append(t.Behind, fmt.Sprintf("%s: %s, gap %.2g, %.4g passes, %.3g multiplications; %s: %.4g passes, %.3g multiplications at least", c, auto.status,
		dro.Certificate{Upper: auto.upper, Lower: auto.lower}.Relative(), auto.passes, auto.work, best.name, best.passes, least))
}

// recompute holds the objective at the point of every solve against its upper bound, and
// against all lower bounds, and the optimum against all bounds, in 256-bit arithmetic.
func (t *Tally) recompute(c *Case, all []bounds) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case big.ErrNaN: // beyond the range of numbers
			t.Skipped++
		default:
			panic(r)
		}
	}()
	const own = 1e-32 // the rounding of exact, relative to the terms: a price is found to the square of that
	lower, by := math.Inf(-1), ""
	best := bounds{upper: math.Inf(1)}
	for _, b := range all {
		if b.lower > lower {
			lower, by = b.lower, b.name
		}
		if b.upper < best.upper {
			best = b
		}
	}
	holds := func(what string, v exact.Real, upper float64, above string) {
		slack := exact.Mul(exact.New(own), exact.Add(exact.New(1+c.Nu), exact.Abs(v)))
		if exact.Less(exact.Add(exact.New(upper), slack), v) {
			t.find("exact", c, fmt.Sprintf("upper bound %.17g by %s, where %s is %s", upper, above, what, v.Text('g', 25)))
		}
		if exact.Less(exact.Add(v, slack), exact.New(lower)) {
			t.find("exact", c, fmt.Sprintf("lower bound %.17g by %s, where %s is %s", lower, by, what, v.Text('g', 25)))
		}
	}
	for _, b := range all {
		x := make([]exact.Real, len(b.x))
		for i, v := range b.x {
			x[i] = exact.New(v)
		}
		t.Exact++
		holds("P at the point of "+b.name, c.Objective(x), max(b.upper, b.above), b.name)
	}
	if c.Nu > 0 && c.Radius == 0 && c.Group == nil && c.Cap == 0 && c.N*c.D*c.D < 2000 && best.x != nil {
		if p := c.Polish(best.x); p != nil {
			t.Optima++
			holds("the optimum", p, best.upper, best.name)
		}
	}
}

func (t *Tally) find(kind string, c *Case, what string) {
	t.Findings = append(t.Findings, Finding{kind, c, what})
}
