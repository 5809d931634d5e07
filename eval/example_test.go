package eval_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Two models of eight rows in two groups, by their losses and scores.
func ExampleEvaluate() {
	e, err := eval.Evaluate(context.Background(), eval.Input{
		Task: eval.Binary, LossName: "logistic", LossUnit: "nats",
		Target: []float64{1, -1, 1, -1, 1, -1, -1, 1}, TargetName: "deny", Positive: "yes",
		Models: []eval.Model{
			{Name: "ERM", Score: []float64{0.9, 0.2, 0.8, 0.1, 0.3, 0.6, 0.2, 0.4},
				Loss: []float64{0.105, 0.223, 0.223, 0.105, 1.204, 0.916, 0.223, 0.916}},
			{Name: "robust", Score: []float64{0.8, 0.3, 0.7, 0.2, 0.5, 0.5, 0.3, 0.5},
				Loss: []float64{0.223, 0.357, 0.357, 0.223, 0.693, 0.693, 0.357, 0.693}},
		},
		Groups: []encode.Grouping{{Name: "region", Labels: []string{"north", "south"},
			Index: []int32{0, 0, 0, 0, 1, 1, 1, 1}}},
		Split: "hold-out",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range e.Models {
		risk, _ := m.Overall.Get("risk")
		fmt.Printf("%-6s risk %.3f, worst group %s %.3f\n", m.Name, risk, m.WorstGroup.Label, m.WorstGroup.Risk)
	}
	fmt.Println(e.Verdict.Outcome)
	// Output:
	// ERM    risk 0.489, worst group south 0.815
	// robust risk 0.449, worst group south 0.609
	// not tested
}

// Scores and labels are enough: losses are then those of the scores.
func ExampleEvaluate_scores() {
	e, err := eval.Evaluate(context.Background(), eval.Input{
		Task:   eval.Binary,
		Target: []float64{1, -1, 1, -1, 1, -1},
		Models: []eval.Model{{Name: "theirs", Score: []float64{0.9, 0.2, 0.8, 0.1, 0.3, 0.6}}},
		Groups: []encode.Grouping{{Name: "region", Labels: []string{"north", "south"}, Index: []int32{0, 0, 0, 0, 1, 1}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := e.Models[0]
	risk, _ := m.Overall.Get("risk")
	fmt.Printf("%s risk %.3f %s, worst group %s %.3f\n", e.Loss, risk, e.LossUnit, m.WorstGroup.Label, m.WorstGroup.Risk)
	// Output: logistic risk 0.463 nats, worst group south 1.060
}

func ExampleParseGate() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []string{"worst_group.risk > 0.6", "group[south].accuracy < 0.5",
		"change.worst_group.risk.high > 0"} {
		g, err := eval.ParseGate(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		r, err := g.Check(e)
		fmt.Println(r.Failed, r.Message, err)
	}
	// Output:
	// true failed: worst_group.risk of the robust model is 0.609 (fails if > 0.6), by 0.009 <nil>
	// false passed: group[south].accuracy of the robust model is 0.75 (fails if < 0.5) <nil>
	// true failed, since the value is undefined: change.worst_group.risk.high is undefined <nil>
}

func ExampleDescribeAdversary() {
	a, err := eval.DescribeAdversary(eval.AdversaryInput{
		Weights: []float64{0.1, 0.1, 0.1, 0.1, 0.3, 0.3},
		Groups:  []encode.Grouping{{Name: "region", Labels: []string{"north", "south"}, Index: []int32{0, 0, 0, 0, 1, 1}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	south := a.Groupings[0].Groups[0] // most up-weighted first
	fmt.Printf("effective rows %.2f of %d; %s holds %.0f %% with %.0f %% of the rows; heaviest row %d\n",
		a.Effective, a.N, south.Label, 100*south.Mass, 100*south.Share, a.Top[0].Row)
	// Output: effective rows 4.55 of 6; south holds 60 % with 33 % of the rows; heaviest row 5
}

func ExampleShares() {
	fmt.Println(eval.Shares(evaltest.Loans().Groups))
	// Output: [map[north:0.5 south:0.5]]
}

func ExampleReport_WriteJSON() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	if err := (&eval.Report{Title: "Loan denial", Evaluation: e}).WriteJSON(&b); err != nil {
		fmt.Println(err)
		return
	}
	r, err := eval.ReadReport(strings.NewReader(b.String()))
	fmt.Println(r.Schema, r.Title, r.Evaluation.N, err)
	// Output: drotrain.report/1 Loan denial 8 <nil>
}

func ExampleWriteJUnit() {
	err := eval.WriteJUnit(os.Stdout, "loans", []eval.GateResult{{Text: "worst_group.risk > 0.6", Failed: true,
		Message: "failed: 0.609"}})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuite name="loans" tests="1" failures="1">
	//   <testcase classname="drotrain" name="worst_group.risk &gt; 0.6">
	//     <failure message="failed: 0.609"></failure>
	//   </testcase>
	// </testsuite>
}
