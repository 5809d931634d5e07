package page_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
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
	err = page.WriteMarkdown(&b, &eval.Report{Title: "Loan denial", Evaluation: e,
		Objective: eval.Objective{Penalty: "kl", Nu: 1, Mu: 0.01}})
	title, verdict, _ := strings.Cut(b.String(), "\n")
	verdict, reason, _ := strings.Cut(strings.TrimSpace(verdict), ", ")
	reason, _, _ = strings.Cut(reason, "\n")
	fmt.Println(title)
	fmt.Println(verdict + ",")
	fmt.Println(reason, err)
	// Output:
	// # Loan denial
	// **The difference between the robust model and the standard model (ERM) was not tested,
	// since there are no intervals.** <nil>
}

func ExampleWriteHTML() {
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
	var b strings.Builder
	err = page.WriteHTML(&b, &eval.Report{Title: "Loan denial", Evaluation: e})
	fmt.Println(strings.Contains(b.String(), "<h1>Loan denial</h1>"), strings.Contains(b.String(), "<script"), err)
	// Output: true false <nil>
}

func ExampleFigures() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	figures, err := page.Figures(&eval.Report{Title: "Loan denial", Evaluation: e})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range figures {
		svg, err := f.SVG()
		fmt.Println(f.Name, strings.HasPrefix(string(svg), "<?xml"), err)
	}
	fmt.Println(figures[0].Alt)
	// Output:
	// risk-by-group true <nil>
	// cvar true <nil>
	// calibration true <nil>
	// Risk by group. south, n 4: ERM 0.815 robust 0.609; north, n 4: ERM 0.164 robust 0.290.
}
