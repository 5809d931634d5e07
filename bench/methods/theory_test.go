package methods

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestSlope(t *testing.T) {
	// y = 3x² on a logarithmic scale has exponent 2; points that are not finite do
	// not count.
	if e := exponent([]float64{1, 2, 4, 8}, []float64{3, 12, math.NaN(), 192}); math.Abs(e-2) > 1e-12 {
		t.Errorf("exponent %v, want 2", e)
	}
	if e := slope([]float64{1}, []float64{1}); !math.IsNaN(e) {
		t.Errorf("slope %v through one point", e)
	}
}

func TestReach(t *testing.T) {
	trace := []sample{{1, 1}, {10, 0.1}, {1000, 0.001}}
	if k := reach(trace, 0.01); math.Abs(k-100) > 1e-9 {
		t.Errorf("0.01 reached after %v iterations, want 100", k)
	}
	if k := reach(trace, 1e-4); !math.IsNaN(k) {
		t.Errorf("1e-4 reached after %v iterations", k)
	}
}

func TestEpsilonExponent(t *testing.T) {
	var eps, power, linear []float64
	for e := 0.3; e > 1e-9; e /= 2 {
		eps, power, linear = append(eps, e), append(power, 7/math.Sqrt(e)), append(linear, 40+5*math.Log(1/e))
	}
	if e := epsilonExponent(eps, power, false); math.Abs(e-0.5) > 1e-9 {
		t.Errorf("exponent %v of 1/√ε", e)
	}
	if e := epsilonExponent(eps, linear, true); math.Abs(e-1) > 1e-9 {
		t.Errorf("exponent %v of 40 + 5 ln(1/ε)", e)
	}
}

// The theorems' exponents in ε and in N come out of a quick run, the same for
// the same seed, and the report is what its JSON schema says.
func TestTheoryQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	r, err := Theory(context.Background(), true, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"epsilon-mu-nu": 1, "epsilon-mu": 0.5, "epsilon-nu": 0.5, "epsilon": 1, "primal": 1,
	} {
		e := r.Find(name)
		if e == nil || len(e.Series) != int(theoryMethods) {
			t.Fatalf("experiment %s: %+v", name, e)
		}
		for _, s := range e.Series {
			if s.Measured == nil || math.Abs(*s.Measured-want) > exponentTolerance {
				t.Errorf("%s, %s: exponent %s, want %v ± %v", name, s.Method, optional(s.Measured, "%.3f"), want, exponentTolerance)
			}
		}
	}
	for _, s := range r.Find("blocks").Series {
		if s.Verdict != Reproduced {
			t.Errorf("iterations against N, %s: %s against %.2f", s.Method, optional(s.Measured, "%.2f"), s.Theorem)
		}
	}
	for _, name := range []string{"games", "training"} { // adapting never costs when the rows are unequal
		for _, s := range r.Find(name).Series {
			if s.Measured == nil || *s.Measured < 1.2 {
				t.Errorf("%s, %s: ratio %s", name, s.Method, optional(s.Measured, "%.2f"))
			}
		}
	}
	if c := r.Count(); c[NotRun] != 0 {
		t.Errorf("%d results without a run", c[NotRun])
	}

	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if back["schema"] != TheorySchema || back["quick"] != true {
		t.Errorf("schema %v, quick %v", back["schema"], back["quick"])
	}
	var text bytes.Buffer
	r.WriteText(&text)
	for _, want := range []string{"1/√ε", "with floors", "results: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the text", want)
		}
	}
	drawn(t, r.Figures(), 3)
}

func TestTheorySameSeedSameIterations(t *testing.T) {
	in := newGame(powerScales(8, 1), 4, 0.1, 0.1, 3)
	run := func(seed uint64) []sample {
		s, _, err := in.run(context.Background(), separableReplacement.method(2, false), 1e-3, 10000, seed)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b, c := run(1), run(1), run(2)
	if len(a) != len(b) || a[len(a)-1] != b[len(b)-1] {
		t.Error("two runs of one seed differ")
	}
	if len(a) == len(c) && a[len(a)-1] == c[len(c)-1] {
		t.Error("two seeds gave one run")
	}
}

// drawn renders figures and expects that many.
func drawn(t *testing.T, figures []Figure, want int) {
	t.Helper()
	if len(figures) != want {
		t.Fatalf("%d figures, want %d", len(figures), want)
	}
	for _, f := range figures {
		svg, err := f.SVG()
		if err != nil || !bytes.HasSuffix(bytes.TrimSpace(svg), []byte("</svg>")) {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, name := range f.Legend {
			if !bytes.Contains(svg, []byte(name.Name)) {
				t.Errorf("%s: no %q in the legend", f.Name, name.Name)
			}
		}
		if png, err := f.PNG(); err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
