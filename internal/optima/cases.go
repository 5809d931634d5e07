package optima

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/drotrain/drotrain/internal/exact"
)

// A Case is a problem with its known optimum.
type Case struct {
	Name string
	exact.Problem
	Optimum Optimum
}

// An Optimum holds min P in twice the precision of a float64, and a minimiser.
type Optimum struct {
	High, Low float64   // min P = High + Low to within 1e-32·|High|; High is the nearest float64
	Gap       float64   // relative gap of the certificate in 256-bit arithmetic, at most 1e-30
	X         []float64 // the minimiser, rounded to float64
	Hash      uint64    `json:",string"` // hash of the numbers of the problem
}

// IsBetween reports whether lower ≤ min P ≤ upper, exactly.
func (o Optimum) IsBetween(lower, upper float64) bool {
	return (lower < o.High || lower == o.High && o.Low >= 0) && (upper > o.High || upper == o.High && o.Low <= 0)
}

//go:embed optima.json
var text []byte

// Cases returns the problems with their optima. The slices are shared and must not be changed.
var Cases = sync.OnceValue(func() []Case {
	known := map[string]Optimum{}
	if err := json.Unmarshal(text, &known); err != nil {
		panic(err)
	}
	cases := Unsolved()
	for i := range cases {
		c := &cases[i]
		if c.Optimum = known[c.Name]; c.Optimum.Hash != Hash(&c.Problem) {
			panic(fmt.Sprintf("optima: the data of %s differ from those of its stored optimum: run go run ./internal/optima/gen",
				c.Name))
		}
	}
	return cases
})

// A family is a set of problems on the same rows.
type family struct {
	name      string
	n, d      int
	intercept bool
	heavy     bool // the noise and one column have heavy tails
	seed      uint64
	problems  []exact.Problem
}

func kl(nu, alpha float64) exact.Adversary {
	return exact.Adversary{Penalty: "kl", Nu: nu, Alpha: alpha}
}

func chi2(nu, alpha float64) exact.Adversary {
	return exact.Adversary{Penalty: "chi2", Nu: nu, Alpha: alpha}
}

// Unsolved returns the problems without their optima. They combine three losses and two penalties on few rows, with
// and without an intercept, a cap, a penalty (ν = 0) and a ridge (μ = 0). Others have enough rows for working sets
// (4096), for growing prefixes (10 000), and for the adversary to put weight on only a few of them.
func Unsolved() []Case {
	var out []Case
	for _, f := range []family{
		{"plain", 120, 4, false, false, 1, []exact.Problem{
			{Loss: "logistic", Adversary: kl(1, 0), Mu: 1.0 / 64}, {Loss: "logistic", Adversary: chi2(0.25, 0), Mu: 1.0 / 64},
			{Loss: "squared", Adversary: kl(1, 0), Mu: 1.0 / 64}, {Loss: "squared", Adversary: chi2(0.25, 0), Mu: 1.0 / 64},
			{Loss: "huber", Adversary: kl(0.25, 0), Mu: 1.0 / 64}, {Loss: "huber", Adversary: chi2(1, 0), Mu: 1.0 / 64},
			{Loss: "squared", Adversary: kl(0, 0), Mu: 1.0 / 64}, {Loss: "squared", Adversary: chi2(0, 0.125), Mu: 1.0 / 64},
			{Loss: "logistic", Adversary: kl(0.125, 0.25), Mu: 1.0 / 64},
			{Loss: "huber", Adversary: chi2(0.125, 0.5), Mu: 1.0 / 64},
		}},
		{"intercept", 150, 4, true, true, 2, []exact.Problem{
			{Loss: "logistic", Adversary: kl(0.125, 0), Mu: 1.0 / 1024}, {Loss: "logistic", Adversary: chi2(1, 0), Mu: 0},
			{Loss: "squared", Adversary: kl(4, 0), Mu: 0}, {Loss: "squared", Adversary: chi2(0.25, 0), Mu: 1.0 / 1024},
			{Loss: "huber", Adversary: kl(1, 0), Mu: 1.0 / 1024}, {Loss: "huber", Adversary: chi2(0.5, 0), Mu: 1.0 / 1024},
			{Loss: "huber", Adversary: chi2(0, 0.25), Mu: 1.0 / 1024},
		}},
		{"few matter", 6000, 3, false, true, 3, []exact.Problem{
			{Loss: "squared", Adversary: kl(1, 0), Mu: 1.0 / 4096}, {Loss: "squared", Adversary: chi2(0.25, 0), Mu: 1.0 / 4096},
			{Loss: "huber", Adversary: kl(0.125, 0), Mu: 1.0 / 4096},
			{Loss: "huber", Adversary: chi2(0.0625, 0), Mu: 1.0 / 4096},
			{Loss: "logistic", Adversary: kl(0.0625, 0), Mu: 1.0 / 4096},
		}},
		{"many", 16_000, 3, true, false, 4, []exact.Problem{
			{Loss: "logistic", Adversary: kl(1, 0), Mu: 0}, {Loss: "logistic", Adversary: chi2(0.25, 0), Mu: 1.0 / 16384},
			{Loss: "huber", Adversary: kl(0.25, 0), Mu: 1.0 / 16384}, {Loss: "squared", Adversary: chi2(1, 0), Mu: 0},
		}},
	} {
		rows, targets := f.drawRows()
		for _, p := range f.problems {
			p.N, p.D, p.Intercept, p.Delta = f.n, f.d, f.intercept, 1
			p.Rows, p.Target = rows, targets
			name := fmt.Sprintf("%s/%s/%s/ν=%v/μ=%v", f.name, p.Loss, p.Penalty, p.Nu, p.Mu)
			if p.Alpha > 0 {
				name += fmt.Sprintf("/α=%v", p.Alpha)
			}
			if p.Loss == "logistic" {
				p.Target = signsOf(targets)
			}
			out = append(out, Case{Name: name, Problem: p})
		}
	}
	return out
}

// drawRows draws rows and the targets of a linear model. The numbers are rounded to multiples of 1/1024, so that
// they do not depend on the processor.
func (f family) drawRows() (rows, target []float64) {
	rng := rand.New(rand.NewPCG(f.seed, 1))
	rows, target = make([]float64, f.n*f.d), make([]float64, f.n)
	for j := range f.n {
		z := rows[j*f.d : (j+1)*f.d]
		for i := range z {
			z[i] = roundTo1024th(rng.NormFloat64())
		}
		tail := 1.0
		if f.heavy {
			tail = 1 / math.Sqrt(0.01+rng.Float64())
			z[0] = roundTo1024th(z[0] / math.Sqrt(0.05+rng.Float64()))
		}
		z[1] = roundTo1024th(z[1]/4 + z[0]) // correlated
		if f.intercept {
			z[f.d-1] = 1
		}
		m := 0.5*rng.NormFloat64()*tail + 0.25
		for i, v := range z {
			m += v * float64(1-2*(i%2)) / float64(i+1)
		}
		target[j] = roundTo1024th(m)
	}
	return rows, target
}

func signsOf(target []float64) []float64 {
	out := make([]float64, len(target))
	for j, v := range target {
		out[j] = math.Copysign(1, v)
	}
	return out
}

func roundTo1024th(v float64) float64 { return math.Round(1024*v) / 1024 }

// Hash returns a hash that identifies the numbers of a problem.
func Hash(p *exact.Problem) uint64 {
	h := fnv.New64a()
	for _, v := range [][]float64{p.Rows, p.Target, {p.Nu, p.Alpha, p.Mu, p.Delta, float64(p.N), float64(p.D)}} {
		binary.Write(h, binary.LittleEndian, v)
	}
	return h.Sum64()
}
