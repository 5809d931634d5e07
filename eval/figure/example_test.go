package figure_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/figure"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// small is a report of 240 made-up rows in three groups, without randomness.
func small(task eval.Task) *eval.Report {
	const n = 240
	in := eval.Input{Task: task, LossName: "logistic", LossUnit: "nats", TargetName: "deny", Split: "hold-out", MinGroupSize: 20,
		Groups: []data.Grouping{{Name: "region", Labels: []string{"east", "north", "south"}}}}
	erm, robust := eval.Model{Name: "ERM"}, eval.Model{Name: "robust"}
	for i := range n {
		g := i % 3
		u := float64(i*37%n)/n + 0.5/n // spread over (0, 1)
		p := 1 / (1 + math.Exp(3-5*u))
		q := 0.5 + 0.8*(p-0.5)
		t := -1.0
		if float64(i*53%n)/n < p*(1+0.2*float64(g)) {
			t = 1
		}
		l := func(p float64) float64 { return -math.Log(0.5 + t*(p-0.5)) }
		if task == eval.Regression {
			p, q, t = 500*p, 500*q, 480*p+60*t
			l = func(p float64) float64 { return (p - t) * (p - t) / 20000 }
		}
		in.Target = append(in.Target, t)
		erm.Score, erm.Loss = append(erm.Score, p), append(erm.Loss, l(p))
		robust.Score, robust.Loss = append(robust.Score, q), append(robust.Loss, l(q))
		in.Groups[0].Index = append(in.Groups[0].Index, int32(g))
	}
	in.Models = []eval.Model{erm, robust}
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		panic(err)
	}
	r := &eval.Report{Title: "Loan denial", Evaluation: e,
		Coefficients: &eval.Coefficients{Models: []string{"ERM", "robust"}, Scaled: "log-odds per standard deviation", Rows: []eval.Coefficient{
			{Name: "income", Scaled: []eval.Num{-0.8, -0.5}}, {Name: "debt", Scaled: []eval.Num{0.4, 0.45}},
		}}}
	return r
}

// show prints what a figure says in words.
func show(r *eval.Report, name string) {
	figures, err := figure.Draw(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range figures {
		if f.Name != name {
			continue
		}
		fmt.Println(f.Alt)
	}
}

func ExampleDraw_riskByGroup() {
	show(small(eval.Binary), "risk-by-group")
	// Output:
	// Risk by group. east, n 80: ERM 0.551 robust 0.546; south, n 80: ERM 0.497 robust 0.510; north, n 80: ERM 0.444 robust 0.474.
}

func ExampleDraw_cvar() {
	show(small(eval.Binary), "cvar")
	// Output:
	// CVaR by share of worst rows. ERM: 2.841 at α = 1 %, 1.774 at α = 10 %, 0.498 at α = 100 %; robust: 1.916 at α = 1 %, 1.416 at α = 10 %, 0.510 at α = 100 %.
}

func ExampleDraw_calibration() {
	show(small(eval.Binary), "calibration")
	// Output:
	// Calibration by tenths. ERM: highest tenth predicted 85.1 %, observed 95.8 %; ECE 0.0843; robust: highest tenth predicted 78.1 %, observed 95.8 %; ECE 0.0958.
}

func ExampleDraw() {
	e, err := eval.Evaluate(context.Background(), evaltest.Loans())
	if err != nil {
		fmt.Println(err)
		return
	}
	figs, err := figure.Draw(&eval.Report{Title: "Loan denial", Evaluation: e})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range figs {
		svg, err := f.SVG()
		fmt.Println(f.Name, strings.HasPrefix(string(svg), "<?xml"), err)
	}
	fmt.Println(figs[0].Alt)
	// Output:
	// risk-by-group true <nil>
	// cvar true <nil>
	// calibration true <nil>
	// Risk by group. south, n 4: ERM 0.815 robust 0.609; north, n 4: ERM 0.164 robust 0.290.
}
