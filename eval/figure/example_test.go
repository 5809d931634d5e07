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
	a, _, err := eval.Holders(eval.AdversaryInput{Loss: robust.Loss, Groups: in.Groups}, "kl", 1)
	if err != nil {
		panic(err)
	}
	r := &eval.Report{Title: "Loan denial", Evaluation: e, Adversary: a,
		Coefficients: &eval.Coefficients{Models: []string{"ERM", "robust"}, Scaled: "log-odds per standard deviation", Rows: []eval.Coefficient{
			{Name: "income", Scaled: []eval.Num{-0.8, -0.5}}, {Name: "debt", Scaled: []eval.Num{0.4, 0.45}},
		}}}
	for k := range 6 { // nothing is known at the first check
		t := eval.TracePoint{Passes: float64(3 * k), Seconds: 0.01 * float64(k), Upper: 0.5 + math.Pow(10, -float64(k)), Lower: 0.5}
		if k == 0 {
			t.Upper, t.Lower = math.NaN(), math.Inf(-1)
		}
		r.Trace = append(r.Trace, t)
	}
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

func ExampleDraw_gap() {
	show(small(eval.Binary), "gap")
	// Output:
	// Certified gap falling from 0.1000 after 3 passes to 1.0 × 10⁻⁵ after 15 passes and 0.05 seconds.
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

func ExampleDraw_riskByRadius() {
	show(small(eval.Binary), "risk-by-radius")
	// Output:
	// Worst-case mean loss against radius. ERM from 0.498 without reweighting to 1.118 at KL radius 0.427; robust from 0.510 without reweighting to 0.929 at KL radius 0.419; at ν = 1 the adversary of robust has radius 0.107.
}

func ExampleDraw_weights() {
	show(small(eval.Binary), "weights")
	// Output:
	// The heaviest 1 % of the training rows hold 3.2 % of the weight, the heaviest 10 % hold 23.4 %; half of it is on 79 of 240 rows.
}

func ExampleDraw_massByGroup() {
	show(small(eval.Binary), "mass-by-group")
	// Output:
	// Adversary weight by group. east 35.2 % of the weight with 33.3 % of the rows; south 33.4 % of the weight with 33.3 % of the rows; north 31.4 % of the weight with 33.3 % of the rows.
}

func ExampleDraw_calibration() {
	show(small(eval.Binary), "calibration")
	// Output:
	// Calibration by tenths. ERM: highest tenth predicted 85.1 %, observed 95.8 %; ECE 0.0843; robust: highest tenth predicted 78.1 %, observed 95.8 %; ECE 0.0958.
}

func ExampleDraw_calibrationByGroup() {
	show(small(eval.Binary), "calibration-by-group")
	// Output:
	// Reliability by group. east: ERM predicts 81.1 % where 81.2 % are observed in its highest bin, robust predicts 74.8 % where 81.2 % are observed in its highest bin; south: ERM predicts 81.7 % where 100.0 % are observed in its highest bin, robust predicts 75.3 % where 100.0 % are observed in its highest bin; north: ERM predicts 81.4 % where 100.0 % are observed in its highest bin, robust predicts 75.1 % where 100.0 % are observed in its highest bin.
}

func ExampleDraw_residuals() {
	show(small(eval.Regression), "residuals")
	// Output:
	// Residuals by tenths of the prediction. ERM: median residual −61.16 in the lowest tenth, 42.91 in the highest; robust: median residual −105.1 in the lowest tenth, 78.16 in the highest.
}

func ExampleDraw_biasByGroup() {
	show(small(eval.Regression), "bias-by-group")
	// Output:
	// Bias by group. east: ERM 17.24 robust 26.02; north: ERM 8.313 robust 16.75; south: ERM −0.617 robust 7.469.
}

func ExampleDraw_coefficients() {
	show(small(eval.Binary), "coefficients")
	// Output:
	// Coefficients. income: ERM −0.800 robust −0.500; debt: ERM 0.400 robust 0.450.
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
	// risk-by-radius true <nil>
	// calibration true <nil>
	// bias-by-group true <nil>
	// Risk by group. south, n 4: ERM 0.815 robust 0.609; north, n 4: ERM 0.164 robust 0.290.
}
