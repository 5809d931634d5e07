package theory

import (
	"fmt"
	"math"
)

// sampling compares uniform and adapted sampling on ever less equal rows: what is
// guaranteed, against the ratio of the tables, and what is measured.
func (l *lab) sampling() (Experiment, error) {
	l.progress("uniform against adapted sampling")
	const tolerance = 1.5
	n, many, powers, most := 24, 64, []float64{0, 1.5, 3}, 1_000_000
	if l.quick {
		n, many, powers, most = 8, 32, []float64{2}, 1_000_000
	}
	seeds := max(2, l.seeds/4)
	e := Experiment{Name: "sampling", Title: "What adapting to unequal blocks buys",
		Text: fmt.Sprintf(`Iterations with uniform sampling over those with p, q, r, s and γ adapted to the constants of the
blocks, for rows of scales 1/j^p, p up to %v. *Guaranteed*: of the schedules, for which the tables
have a ratio, of each of their terms, which all have constants of their own: outside of these, by
more than a factor of %v, fails. (Half of r and s is uniform, as the theorems
with block replacement ask for, and so it is in these ratios.) *Measured*:
to a gap of 0.01 (games) or 1e-4 (training) of the first, the geometric mean of %d seeds, and its
range. No theorem says what that is: it is a ratio of two things that are bounded from above. A
last column has the passes to the same gap over those of the full vector update. Games: μ = ν =
0, n = N = %d, d = 8; training: logistic losses, μ = 0.01, ν = 0.1, n = %d, N = 16,
weights 0 ≤ y ≤ 1/n.`, powers[len(powers)-1], tolerance, seeds, n, many),
		Columns: []string{"guaranteed", "tables, least", "most", "measured", "least", "most", "passes ÷ full"}}
	type problem struct {
		name  string
		of    func(power float64) *instance
		block int
		goal  float64
	}
	problems := []problem{
		{"games", func(p float64) *instance { return newGame(powerScales(n, p), 8, 0, 0, l.seed+1) }, 1, 0.01},
		{"training", func(p float64) *instance { return newTraining(powerScales(many, p), 8, 0.01, 0.1, false, l.seed+1) }, many / 16, 1e-4},
	}
	type cell struct{ problem, power, method int }
	var cells []cell
	for k := range problems {
		for i := range powers {
			for m := stochasticHistorical; m < theoryMethods; m++ {
				cells = append(cells, cell{k, i, int(m)})
			}
		}
	}
	e.Results = make([]Result, len(cells))
	err := l.each(len(cells), func(k int) error {
		c := cells[k]
		p, m := problems[c.problem], theoryMethod(c.method)
		in := p.of(powers[c.power])
		primal, dual := in.distances()
		eps := p.goal * in.blocks(in.n).g * math.Sqrt(primal*dual)
		t, mu0, nu0, err := l.guaranteed(in, m, p.block, true, lie{}, eps)
		if err != nil {
			return err
		}
		even := in.complexity(m, p.block, true, mu0, nu0, eps)
		adapted, mu0, nu0, err := l.guaranteed(in, m, p.block, false, lie{}, eps)
		if err != nil {
			return err
		}
		guaranteed, below, above := t/adapted, math.Inf(1), 0.0
		for i, v := range in.complexity(m, p.block, false, mu0, nu0, eps) {
			if v > 0 && (i > 0 || v > t/constantsAllowed) { // the first term is the same for both
				below, above = math.Min(below, even[i]/v), math.Max(above, even[i]/v)
			}
		}
		r := Result{Case: fmt.Sprintf("%s, p = %v", p.name, powers[c.power]), Method: m.String(), Verdict: Holds}
		if !(guaranteed <= tolerance*above && guaranteed >= below/tolerance) {
			r.Verdict = Fails
		}
		ratio, work := make([]float64, seeds), 0.0
		for s := range seeds {
			even, _, err := in.reach(l.ctx, m.method(p.block, true), m, p.block, p.goal, most, l.seed+uint64(s))
			if err != nil {
				return err
			}
			own, passes, err := in.reach(l.ctx, m.method(p.block, false), m, p.block, p.goal, most, l.seed+uint64(s))
			if err != nil {
				return err
			}
			ratio[s] = math.Log(even / own)
			work += math.Log(own*passes) / float64(seeds)
		}
		full, passes, err := in.reach(l.ctx, fullVector.method(in.n, false), fullVector, in.n, p.goal, most, l.seed)
		if err != nil {
			return err
		}
		mean, _ := meanAndError(ratio)
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range ratio {
			low, high = math.Min(low, v), math.Max(high, v)
		}
		r.Values = []Number{Number(guaranteed), Number(below), Number(above), Number(math.Exp(mean)), Number(math.Exp(low)), Number(math.Exp(high)),
			Number(math.Exp(work) / (full * passes))}
		e.Results[k] = r
		return nil
	})
	return e, err
}
