package dro_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// solveExample solves the example problem against an adversary.
func solveExample(dual dro.Dual) *dro.Result {
	problem := &dro.Problem{Oracle: exampleOracle(), Dual: dual, Primal: dro.L2{Mu: 0.1, Intercept: true}}
	res, err := dro.Solve(context.Background(), problem, nil)
	if err != nil {
		log.Fatal(err)
	}
	return res
}

// Robust to every reweighting of the sample that leaves at least 80 % of it effective,
// by perplexity (KL) and by Kish's number 1/Σy² (χ²).
func ExampleBall() {
	kl := solveExample(dro.Ball{Divergence: dro.KullbackLeibler, Radius: math.Log(1 / 0.8)})
	printCertificate(kl)
	chi2 := solveExample(dro.Ball{Divergence: dro.PearsonChi2, Radius: (1/0.8 - 1) / 2})
	printCertificate(chi2)
	squares := 0.0
	for _, y := range chi2.Weights {
		squares += y * y
	}
	fmt.Printf("effective: %.2f of 6\n", 1/squares)
	// Output:
	// certified: 0.6327 ≤ optimum ≤ 0.6327
	// certified: 0.5944 ≤ optimum ≤ 0.5944
	// effective: 4.80 of 6
}

// A penalty around sample weights: the fourth sample counts twice, the last not at all.
func ExampleKL_weights() {
	res := solveExample(dro.KL{Nu: 0.5, Weights: []float64{1, 1, 1, 2, 1, 0}})
	printCertificate(res)
	fmt.Printf("y = %.3f\n", res.Weights)
	// Output:
	// certified: 0.5410 ≤ optimum ≤ 0.5410
	// y = [0.241 0.091 0.196 0.184 0.288 0.000]
}

// Every subgroup of at least half the samples has a mean loss of at most the risk.
func ExampleCVaR() {
	res := solveExample(dro.CVaR{Alpha: 0.5})
	printCertificate(res)
	// Output:
	// certified: 0.6626 ≤ optimum ≤ 0.6626
}

// Group DRO: the largest mean loss of two groups, and a penalty of 0.1 for weights over
// groups that leave their shares of the samples.
func ExampleGroups() {
	of := [][]int32{{0, 0, 0, 0, 1, 1}}
	printCertificate(solveExample(dro.Groups{Of: of, Near: dro.Ball{Radius: math.Inf(1)}}))
	penalised := dro.Groups{Of: of, Near: dro.Ball{Radius: math.Inf(1), Nu: 0.1, Weights: []float64{4, 2}}}
	res := solveExample(penalised)
	printCertificate(res)
	fmt.Printf("weights over groups: %.3f\n", []float64{res.Weights[0] + res.Weights[1] + res.Weights[2] + res.Weights[3],
		res.Weights[4] + res.Weights[5]})
	// Output:
	// certified: 0.4567 ≤ optimum ≤ 0.4567
	// certified: 0.4564 ≤ optimum ≤ 0.4564
	// weights over groups: [0.637 0.363]
}
