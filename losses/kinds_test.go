package losses_test

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/losses/losstest"
)

// Every loss that has a name keeps the contract of Loss, is returned by Parse, and refuses a δ that it
// cannot use.
func TestKinds_KeepTheContract(t *testing.T) {
	for _, k := range losses.Kinds() {
		for _, delta := range []float64{0.5, 2} {
			l, err := losses.Parse(k.Name, delta)
			if err != nil || l.Name() != k.Name {
				t.Fatalf("%s: %v, %v", k.Name, l, err)
			}
			targets := []float64{-1.3, 0, 2.1}
			if k.Classes {
				targets = []float64{-1, 1}
			}
			if err := losstest.Test(l, []float64{-3.17, -0.91, -0.1, 0.37, 1.7, 4.03}, targets); err != nil {
				t.Error(err)
			}
		}
		for _, delta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := k.New(delta); (err != nil) != k.HasDelta {
				t.Errorf("%s, δ = %v: %v", k.Name, delta, err)
			}
		}
	}
	if _, err := losses.Parse("hinge", 1); err == nil || err.Error() != `unknown loss "hinge": logistic, squared or huber` {
		t.Error(err)
	}
}

func TestKinds_Facts(t *testing.T) {
	huber, _ := losses.KindOf("huber")
	if got := huber.Label(0.5); got != "huber(δ=0.5)" {
		t.Error(got)
	}
	if a, b := losses.DefaultName(true), losses.DefaultName(false); a != "logistic" || b != "squared" {
		t.Error(a, b)
	}
	scores := func(classes bool) []string {
		return losses.Names(func(k losses.Kind) bool { return k.Measures(classes) })
	}
	if got := scores(true); !slices.Equal(got, []string{"logistic", "squared"}) {
		t.Error(got)
	}
	if got := scores(false); !slices.Equal(got, []string{"squared", "huber"}) {
		t.Error(got)
	}
}
