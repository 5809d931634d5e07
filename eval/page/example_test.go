package page_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/eval/page"
)

func ExampleWriteMarkdown() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	err = page.WriteMarkdown(&b, &eval.Report{Title: "Loan denial", Evaluation: e, Objective: eval.Objective{Penalty: "kl", Nu: 1, Mu: 0.01}})
	fmt.Println(strings.Join(strings.Split(b.String(), "\n")[:3], "\n"), err)
	// Output:
	// # Loan denial
	//
	// **Robust training: what happened is given a typical probability of 54.4 % instead of 44.3 % in the worst group, south; without intervals, nothing is claimed.** <nil>
}

func ExampleWriteHTML() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	err = page.WriteHTML(&b, &eval.Report{Title: "Loan denial", Evaluation: e})
	fmt.Println(strings.Contains(b.String(), "<h1>Loan denial</h1>"), strings.Contains(b.String(), "<script"), err)
	// Output: true false <nil>
}
