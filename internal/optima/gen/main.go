// Command gen solves the problems of package optima in 256-bit arithmetic and writes optima.json there: it starts
// with a solve in double precision, applies Newton's method to the exact objective (ν > 0) or to the conditions of
// the active losses (ν = 0), and computes a certificate that does not depend on either.
//
//	go run ./internal/optima/gen
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/internal/optima"
	"github.com/drotrain/drotrain/losses"
)

func main() {
	out := flag.String("o", "internal/optima/optima.json", "the file to write")
	flag.Parse()
	cases := optima.Unsolved()
	known := map[string]optima.Optimum{}
	var lock sync.Mutex
	var wait sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range cases {
		wait.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			o, err := solve(&cases[i].Problem)
			if err != nil {
				log.Fatalf("%s: %v", cases[i].Name, err)
			}
			lock.Lock()
			defer lock.Unlock()
			known[cases[i].Name] = o
			fmt.Printf("%-50s %.17g  gap %.1e\n", cases[i].Name, o.High, o.Gap)
		})
	}
	wait.Wait()
	text, err := json.MarshalIndent(known, "", " ")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, append(text, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}

// solve returns the optimum of p to twice double precision.
func solve(p *exact.Problem) (optima.Optimum, error) {
	const enough = 1e-30
	near, err := approximate(p)
	if err != nil {
		return optima.Optimum{}, err
	}
	x, y, last := make([]exact.Real, p.D), []exact.Real(nil), error(nil)
	for i := range x {
		x[i] = exact.New(near[i])
	}
	for range 12 {
		if p.Nu > 0 {
			err = takeNewtonStep(p, x)
		} else {
			y, err = takeActiveSetStep(p, x)
		}
		if err != nil {
			return optima.Optimum{}, err
		}
		upper, lower, err := p.Certify(x, y)
		if err != nil {
			last = err
			continue
		}
		gap, _ := exact.Div(exact.Sub(upper, lower), upper).Float64()
		if gap < -1e-60 {
			return optima.Optimum{}, fmt.Errorf("lower %v above upper %v", lower, upper)
		}
		if gap > enough {
			last = fmt.Errorf("gap %v", gap)
			continue
		}
		o := optima.Optimum{Gap: math.Max(gap, 1e-60), X: make([]float64, p.D), Hash: optima.Hash(p)}
		o.High, o.Low = exact.Split(upper)
		for i, v := range x {
			o.X[i], _ = v.Float64()
		}
		return o, nil
	}
	return optima.Optimum{}, fmt.Errorf("not certified: %v", last)
}

// takeNewtonStep replaces x by x − H⁻¹∇P, where H is the Hessian of P.
func takeNewtonStep(p *exact.Problem, x []exact.Real) error {
	g, h := p.GradientAndHessian(x)
	step, err := h.Solve(g)
	for i := range step {
		x[i] = exact.Sub(x[i], step[i])
	}
	return err
}

// approximate solves p in double precision.
func approximate(p *exact.Problem) ([]float64, error) {
	loss, err := losses.Parse(p.Loss, p.Delta)
	if err != nil {
		return nil, err
	}
	z, err := design.NewDense(p.N, p.D, p.Rows)
	if err != nil {
		return nil, err
	}
	oracle, err := losses.NewLinear(loss, z, p.Target)
	if err != nil {
		return nil, err
	}
	var dual dro.Dual
	switch {
	case p.Penalty == "kl" && p.Alpha > 0:
		dual = dro.KL{Alpha: p.Alpha, Nu: p.Nu}
	case p.Penalty == "kl":
		dual = dro.KL{Nu: p.Nu}
	case p.Alpha > 0:
		dual = dro.ChiSquare{Alpha: p.Alpha, Nu: p.Nu}
	default:
		dual = dro.ChiSquare{Nu: p.Nu}
	}
	problem := &dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: p.Mu, Intercept: p.Intercept}}
	s := dro.Options{}
	s.RelativeGap = 1e-13
	s.MaxPasses = 2000
	r, err := dro.Solve(context.Background(), problem, &s)
	if err != nil {
		return nil, err
	}
	return r.X, nil
}
