package train_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

// An expectile is the loss τ r² where the prediction is too low and (1 − τ) r² where it is too high.
type expectile struct{ tau float64 }

func (expectile) Name() string { return "expectile" }

// Meaning returns what predictions are: margins in the units of the target, which may be scaled.
func (expectile) Meaning() losses.Meaning { return losses.Meaning{Scalable: true, Power: 2} }

func (e expectile) weight(r float64) float64 {
	if r < 0 {
		return e.tau
	}
	return 1 - e.tau
}

func (e expectile) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		r := m - target[i]
		value[i], slope[i] = e.weight(r)*r*r, 2*e.weight(r)*r
	}
}

func (e expectile) CurvatureTo(curvature, slope, _ []float64) {
	for i, s := range slope {
		curvature[i] = 2 * e.weight(s)
	}
}

func (e expectile) CurvatureLowerBoundTo(curvature, _, _ []float64) (radius, decay float64) {
	for i := range curvature {
		curvature[i] = 2 * min(e.tau, 1-e.tau)
	}
	return math.Inf(1), 0
}

func (expectile) Lipschitz() float64 { return math.Inf(1) }

func (e expectile) Smoothness() float64 { return 2 * max(e.tau, 1-e.tau) }

// An order is a row of the table, and of what is scored.
type order struct {
	Size  float64 `drotrain:"size"`
	Kind  string  `drotrain:"kind"`
	Hours float64 `drotrain:"hours"`
}

// Train on structs with a custom loss and a custom ambiguity set, save the model, and score structs with it.
func Example_ownLossAndSet() {
	if err := losses.Register(expectile{0.8}); err != nil {
		log.Fatal(err)
	}
	var orders []order
	for i := range 300 {
		size := float64(1 + i*i%17)
		orders = append(orders, order{size, []string{"repair", "new"}[i%2], 2 + size*(1+float64(i%5)/4)})
	}
	table, err := data.FromStructs(orders)
	if err != nil {
		log.Fatal(err)
	}
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Loss = "hours", "expectile"
	cfg.Own = &level.Own{Name: "the worst half", Dual: func(rows level.Rows) (dro.Dual, error) {
		return dro.CVaR{Alpha: 0.5, Weights: rows.Weights}, nil // any implementation of dro.Dual
	}}
	model, err := train.FitFrame(context.Background(), table, cfg)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := model.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	scorer, err := score.Read(&file) // in another program, which does not know the loss
	if err != nil {
		log.Fatal(err)
	}
	orderScorer, err := score.Of[order](scorer)
	if err != nil {
		log.Fatal(err)
	}
	hours, err := orderScorer.Score(&order{Size: 10, Kind: "new"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("certified %v, %v, %s: %.1f hours\n", model.Result.Certified, model.Config.Level, model.Result.Loss, hours)
	// Output: certified true, the worst half, expectile: 18.8 hours
}
