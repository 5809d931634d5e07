package report

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
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

// trained fits a level to rows, with weights if weighted.
func trained(t *testing.T, rows []example, l level.Level, weighted bool, change func(*train.Config)) *train.Model {
	t.Helper()
	f, err := data.FromStructs(rows)
	if err != nil {
		t.Fatal(err)
	}
	c := train.DefaultConfig()
	c.KeepRows = true
	c.Target, c.Features, c.Groups, c.Holdout, c.Scale, c.Mu, c.Gap = "y", []string{"a", "b"}, []string{"region", "sex"}, 0, "none", level.At(0.05), 1e-11
	if l.Penalty == "" {
		l.Penalty = "kl"
	}
	if c.Level = l; weighted {
		c.Weight = "w"
	}
	if change != nil {
		change(&c)
	}
	m, err := train.FitFrame(context.Background(), f, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// robustErrors are the standard errors that a report gives the robust model.
func robustErrors(t *testing.T, m *train.Model) []float64 {
	t.Helper()
	x := &Measured{model: m, run: m.Run}
	fits, why := x.fits()
	for k, v := range versions(m) {
		if v.role == role(m) {
			if fits[k] == nil {
				t.Fatal(why[k])
			}
			return fits[k].standardErrors(m.Run.Train, []int{0, 1}, 1)
		}
	}
	t.Fatal("no robust model")
	return nil
}

// Every adversary's standard errors are the derivative of the trained coefficients by how
// much each row weighs, found by training again.
func TestStandardErrorsByTrainingAgain(t *testing.T) {
	groups := func(l level.Level) level.Level { l.Adversary = "groups"; return l }
	levels := map[string]level.Level{
		"plain":            {Average: "plain"},
		"balanced":         {Average: "balanced"},
		"KL":               {Nu: level.At(0.8)},
		"KL ball":          {Ess: level.At(0.9)},
		"χ² ball":          {Ess: level.At(0.9), Penalty: "chi2"},
		"χ², weighted":     {Nu: level.At(0.7), Penalty: "chi2"},
		"groups, KL":       groups(level.Level{Nu: level.At(0.2)}),
		"groups, χ²":       groups(level.Level{Nu: level.At(0.3), Penalty: "chi2"}),
		"groups, KL ball":  groups(level.Level{Radius: level.At(0.02)}),
		"groups, χ² ball":  groups(level.Level{Radius: level.At(0.02), Penalty: "chi2"}),
		"groups, largest":  groups(level.Level{Nu: level.At(0)}),
		"groups, adjusted": groups(level.Level{Nu: level.At(0), Adjust: 0.5}),
		"χ², adjusted":     groups(level.Level{Nu: level.At(0.3), Penalty: "chi2", Adjust: 0.5}),
		"ball, adjusted":   groups(level.Level{Radius: level.At(0.02), Adjust: 0.5}),
	}
	const n, h = 72, 0.1
	for name, l := range levels {
		rows := examples(n, 3)
		r := rand.New(rand.NewPCG(9, 9))
		for i := range rows {
			rows[i].Weight = 0.5 + r.Float64()
		}
		once := func(c *train.Config) { c.NoBaseline = l.Average == "" }
		got := robustErrors(t, trained(t, rows, l, true, once))
		var want [2]float64
		for i := range rows {
			w := rows[i].Weight
			rows[i].Weight = w * (1 + h)
			up := trained(t, rows, l, true, once).Coefficients
			rows[i].Weight = w * (1 - h)
			down := trained(t, rows, l, true, once).Coefficients
			rows[i].Weight = w
			for j := range want {
				d := (up[j] - down[j]) / (2 * h)
				want[j] += d * d
			}
		}
		for j := range want {
			w := math.Sqrt(want[j] * n / (n - 3))
			if got == nil || !(math.Abs(got[j]-w) <= 5e-3*w) {
				t.Errorf("%s: standard error %d is %v, training again says %v", name, j, got, w)
			}
		}
	}
}

// The standard errors of a CVaR, whose threshold is a kink, and of a recalibrated model are
// those of trainings on new rows.
func TestStandardErrorsOfNewRows(t *testing.T) {
	samples, n := 60, 600
	if os.Getenv("DROTRAIN_LONG") != "" {
		samples, n = 400, 1500
	}
	for name, c := range map[string]struct {
		level  level.Level
		change func(*train.Config)
		wide   float64 // how many times too wide they may be
	}{
		"CVaR":               {level.Level{Protect: level.At(0.6)}, func(c *train.Config) { c.NoBaseline = true }, 1},
		"ball, recalibrated": {level.Level{Ess: level.At(0.9)}, func(c *train.Config) { c.NoBaseline, c.Recalibrate, c.Folds = true, true, 3 }, 1},
		// Groups that are nearly as bad as the worst hold the coefficients too, which the
		// equations at the optimum do not know: docs/intervals.md.
		"group DRO, recalibrated": {level.Level{Nu: level.At(0), Adversary: "groups"}, func(c *train.Config) { c.NoBaseline, c.Recalibrate, c.Folds = true, true, 3 }, 1.25},
	} {
		var sum, square, said [2]float64
		for s := range samples {
			m := trained(t, examples(n, uint64(100+s)), c.level, false, func(k *train.Config) { c.change(k); k.Gap, k.Mu = 1e-7, level.At(1e-3) })
			errors := robustErrors(t, m)
			if errors == nil {
				t.Fatalf("%s: no standard errors of sample %d", name, s)
			}
			for j := range sum {
				v := m.Scoring()[j]
				sum[j], square[j], said[j] = sum[j]+v, square[j]+v*v, said[j]+errors[j]
			}
		}
		k := float64(samples)
		for j := range sum {
			truth := math.Sqrt((square[j] - sum[j]*sum[j]/k) / (k - 1))
			t.Logf("%s, coefficient %d: %.3f said, %.3f among %d samples", name, j, said[j]/k, truth, samples)
			off := 3/math.Sqrt(2*k) + 0.05
			if r := said[j] / k / truth; r < 1-off || r > c.wide+off {
				t.Errorf("%s: the standard error of coefficient %d is %.3f times that of new samples", name, j, r)
			}
		}
	}
}

// In another unit of the target the standard errors are in that unit, and exist as before.
func TestStandardErrorsInAnyUnit(t *testing.T) {
	type row struct {
		A float64 `drotrain:"a"`
		B float64 `drotrain:"b"`
		Y float64 `drotrain:"y"`
	}
	errorsIn := func(unit float64, l level.Level) []float64 {
		r := rand.New(rand.NewPCG(6, 1))
		var rows []row
		for range 150 {
			e := row{A: r.NormFloat64(), B: r.NormFloat64()}
			e.Y = unit * (2*e.A - e.B + r.NormFloat64())
			rows = append(rows, e)
		}
		f, err := data.FromStructs(rows)
		if err != nil {
			t.Fatal(err)
		}
		c := train.DefaultConfig()
		c.KeepRows = true
		c.Target, c.Holdout, c.ScaleTarget, c.Gap, c.Level = "y", 0, false, 1e-9, l
		m, err := train.FitFrame(context.Background(), f, c)
		if err != nil {
			t.Fatal(err)
		}
		return robustErrors(t, m)
	}
	for name, l := range map[string]func(unit float64) level.Level{
		"a price": func(unit float64) level.Level { return level.Level{Penalty: "kl", Nu: level.At(3 * unit * unit)} },
		"a ball":  func(float64) level.Level { return level.Level{Penalty: "chi2", Ess: level.At(0.8)} },
	} {
		one := errorsIn(1, l(1))
		for _, unit := range []float64{0x1p-20, 0x1p20} {
			got := errorsIn(unit, l(unit))
			for j, v := range one {
				if len(got) != len(one) || !(v > 0) || !(math.Abs(got[j]-unit*v) <= 1e-4*unit*v) {
					t.Errorf("%s, unit %v: standard errors %v, in a unit of 1 %v", name, unit, got, one)
				}
			}
		}
	}
}
