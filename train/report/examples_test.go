package report

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// An example is a row of a table that models are trained on.
type example struct {
	A      float64 `drotrain:"a"`
	B      float64 `drotrain:"b"`
	Region string  `drotrain:"region"`
	Sex    string  `drotrain:"sex"`
	Weight float64 `drotrain:"w"`
	Y      string  `drotrain:"y"`
}

// examples follow a logistic law with another slope in one region.
func examples(n int, seed uint64) []example {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]example, n)
	for i := range out {
		e := &out[i]
		e.A, e.B, e.Weight = r.NormFloat64(), r.NormFloat64(), 1
		e.Region, e.Sex = []string{"north", "south", "west"}[r.IntN(3)], []string{"f", "m"}[r.IntN(2)]
		m := 3*e.A + 0.3
		if e.Region == "west" {
			m = 1.5*e.A + 2*e.B
		}
		e.Y = "no"
		if r.Float64() < 1/(1+math.Exp(-m)) {
			e.Y = "yes"
		}
	}
	return out
}

// trained trains a level on rows, with row weights if weighted is set.
func trained(t *testing.T, rows []example, l level.Level, weighted bool, change func(*train.Config)) *train.Model {
	t.Helper()
	f := must(data.FromStructs(rows))
	c := train.DefaultConfig()
	c.KeepRows = true
	c.Target, c.Features, c.Groups, c.Holdout, c.Scale, c.Mu, c.Gap =
		"y", []string{"a", "b"}, []string{"region", "sex"}, 0, "none", level.At(0.05), 1e-11
	if l.Penalty == "" {
		l.Penalty = "kl"
	}
	if c.Level = l; weighted {
		c.Weight = "w"
	}
	if change != nil {
		change(&c)
	}
	m := must(train.FitFrame(context.Background(), f, c))
	return m
}

// must returns v, or ends the test if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
