package losses_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
)

// Every named loss satisfies the contract of Loss, is returned by Parse, and Parse returns an error for an invalid δ.
func TestKinds_KeepTheContract(t *testing.T) {
	for _, name := range losses.Names(nil) {
		k, ok := losses.KindOf(name)
		if !ok {
			t.Fatalf("%s is no kind", name)
		}
		for _, delta := range []float64{0.5, 2} {
			name := k.Name
			if k.HasLevel {
				name += fmt.Sprintf(":%v", delta/3)
			}
			l, err := losses.Parse(name, delta)
			if err != nil || l.Name() != name {
				t.Fatalf("%s: %v, %v", name, l, err)
			}
			var targets []float64
			for _, v := range []float64{-1.3, -1, 0, 1, 2.1} {
				if l.Meaning().Accepts(v) {
					targets = append(targets, v)
				}
			}
			if len(targets) < 2 {
				t.Errorf("%s accepts %v alone", name, targets)
			}
			if err := losses.Check(l, []float64{-3.17, -0.91, -0.1, 0.37, 1.7, 4.03}, targets); err != nil {
				t.Error(err)
			}
		}
		for _, delta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := k.New(delta); (err != nil) != (k.HasDelta || k.HasLevel) {
				t.Errorf("%s, δ = %v: %v", k.Name, delta, err)
			}
		}
	}
	if _, err := losses.Parse("hinge", 1); err == nil ||
		err.Error() != `unknown loss "hinge"; the loss must be logistic, squared, huber, poisson or quantile` {
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
	if got := scores(false); !slices.Equal(got, []string{"squared", "huber", "poisson", "quantile"}) {
		t.Error(got)
	}
}

// A level after a colon is part of the name; any text that is not a number between 0 and 1 is an error.
func TestParse_Level(t *testing.T) {
	for name, want := range map[string]string{
		"quantile:0.9": "", "quantile:0.90": "", "quantile": "needs a level", "quantile:": "needs a level",
		"quantile:1": "needs a level",
		"quantile:x": "needs a level", "quantile:NaN": "needs a level", "squared:2": "no level",
		"pinball:0.9": "unknown loss",
	} {
		l, err := losses.Parse(name, 1)
		_, known := losses.KindOf(name)
		switch {
		case want == "" && (err != nil || !known || l.Name() != "quantile:0.9"):
			t.Errorf("%s: %v, %v, known %v", name, l, err, known)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, not %q", name, err, want)
		}
	}
}

// A loss of the caller's with a meaning and functions that can be replaced.
type own struct {
	losses.Squared
	name    string
	meaning losses.Meaning
	eval    func(value, slope *float64, m, t float64)
}

func (o own) Name() string            { return o.name }
func (o own) Meaning() losses.Meaning { return o.meaning }
func (o own) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		value[i], slope[i] = (m-target[i])*(m-target[i])/2, m-target[i]
		if o.eval != nil {
			o.eval(&value[i], &slope[i], m, target[i])
		}
	}
}

// CurvatureTo is right for the losses of tests with a convex loss that is not the squared one.
func (o own) CurvatureTo(curvature, slope, target []float64) {
	o.Squared.CurvatureTo(curvature, slope, target)
	if o.meaning.Valid != nil || o.meaning.Classes {
		for i, s := range slope {
			curvature[i] = math.Abs(s)
			if o.meaning.Valid != nil {
				curvature[i] = s + target[i]
			}
		}
	}
}

func (o own) CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64) {
	clear(curvature)
	return math.Inf(1), 0
}

func (own) Smoothness() float64 { return math.Inf(1) }

// poissonTo stores e^m − t·m and its slope.
func poissonTo(value, slope *float64, m, t float64) {
	*value, *slope = math.Exp(m)-t*m, math.Exp(m)-t
	if t > 0 {
		*value += t*math.Log(t) - t
	}
}

// A loss with wrong slopes, a loss that is not convex, and an inconsistent Meaning are errors before a solve;
// NewLinear names the row.
func TestRegister_RefusesBrokenLosses(t *testing.T) {
	wrongSlope := own{name: "own-slope", eval: func(_, s *float64, _, _ float64) { *s *= 1.3 }}
	tukey := own{name: "own-tukey", eval: func(v, s *float64, m, t float64) {
		if r := m - t; math.Abs(r) < 2 {
			u := 1 - r*r/4
			*v, *s = (1-u*u*u)*4/6, r*u*u
		} else {
			*v, *s = 4.0/6, 0
		}
	}}
	for _, c := range []struct {
		loss own
		want string
	}{
		{wrongSlope, "the slope is"}, {tukey, "row"},
		{own{name: "own-nan", eval: func(v, _ *float64, _, _ float64) { *v = math.NaN() }}, "at least 0"},
		{own{name: "own-link", meaning: losses.Meaning{Link: losses.Log, Scalable: true}}, "Scalable"},
		{own{name: "own-log", meaning: losses.Meaning{Link: losses.Link{Name: "log", Predict: math.Exp2, Margin: math.Log2}}},
			"differs from the built-in link"},
		{own{name: "own-count", meaning: losses.Meaning{Valid: func(t float64) bool { return t >= 0 }}, eval: poissonTo},
			"the link Identity has margins"},
		{own{name: "own-odds", meaning: losses.Meaning{Classes: true, Link: losses.Logit},
			eval: func(v, s *float64, m, t float64) {
				*v = math.Exp(-t * m) // smallest at half the log-odds
				*s = -t * *v
			}}, "but this margin minimises the expected loss for the probability"},
		{own{name: "own-classes", meaning: losses.Meaning{Classes: true}}, "needs a link"},
		{own{name: "squared"}, "already registered"}, {own{name: "a:b"}, "colon"},
	} {
		err := losses.Register(c.loss)
		if c.want == "row" {
			c.want = "own-tukey at margin"
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", c.loss.name, err, c.want)
		}
	}
	z, err := design.NewDense(3, 1, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []losses.Loss{wrongSlope, tukey} {
		if _, err := losses.NewLinear(loss, z, []float64{0, 1, 2}); err == nil || !strings.Contains(err.Error(), "row") {
			t.Errorf("%s: %v", loss.Name(), err)
		}
	}
	if _, err := losses.NewLinear(losses.Poisson{}, z, []float64{1, 0, -2}); err == nil ||
		!strings.Contains(err.Error(), "row 2 is -2, but the loss poisson requires a count") {
		t.Error(err)
	}
}

// Losses may be registered while others are looked up (go test -race).
func TestRegister_WhileOthersLookUp(t *testing.T) {
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			if err := losses.Register(own{name: fmt.Sprintf("own-%d", k)}); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() { losses.KindOf("huber") })
	}
	group.Wait()
	if _, ok := losses.KindOf("own-7"); !ok {
		t.Error("a registered loss is unknown")
	}
}
