package train

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/optima"
)

// From a CSV file to a certified model, the bounds contain the optimum of 256-bit arithmetic at every check of every
// solver.
func TestFit_Optima(t *testing.T) {
	for _, c := range optima.Cases() {
		if c.Nu == 0 || c.Alpha > 0 || c.Mu == 0 || c.N > 10_000 && c.Loss == "logistic" {
			continue
		}
		frame, err := data.Read(context.Background(), write(t, c))
		if err != nil {
			t.Fatal(err)
		}
		for _, solver := range []string{"auto", "lbfgs", "separable"} {
			cfg := keepingRows()
			cfg.Target, cfg.Scale, cfg.ScaleTarget, cfg.Holdout = "target", "none", false, 0
			cfg.Intercept = c.Intercept
			cfg.Loss, cfg.HuberDelta, cfg.Penalty, cfg.Nu, cfg.Mu = c.Loss, c.Delta, dro.Divergence(c.Penalty), &c.Nu, &c.Mu
			cfg.Solver, cfg.Gap, cfg.MaxPasses = solver, 1e-10, 60
			cfg.Observe = func(p Progress) {
				if p.Phase == "robust" && !c.Optimum.IsBetween(p.Lower, p.Upper) {
					t.Errorf("%s by %s: after %v passes [%v, %v]", c.Name, solver, p.Passes, p.Lower, p.Upper)
				}
			}
			m, err := FitFrame(context.Background(), frame, cfg)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			s := m.Summary("")
			if solver != "separable" && (!s.Certified || !(math.Abs(s.Objective-c.Optimum.High) <= 2e-10*c.Optimum.High)) {
				t.Errorf("%s by %s: %s, objective %v, optimum %v", c.Name, solver, s.Status, s.Objective, c.Optimum.High)
			}
			if s.N != c.N || s.D != c.D {
				t.Errorf("%s: %d × %d", c.Name, s.N, s.D)
			}
		}
	}
}

// write stores a problem as a CSV file, without the column of ones.
func write(t *testing.T, c optima.Case) string {
	t.Helper()
	columns := c.D
	if c.Intercept {
		columns--
	}
	var text strings.Builder
	for i := range columns {
		fmt.Fprintf(&text, "x%d,", i)
	}
	text.WriteString("target\n")
	for j := range c.N {
		for _, v := range c.Rows[j*c.D : j*c.D+columns] {
			fmt.Fprintf(&text, "%v,", v)
		}
		fmt.Fprintf(&text, "%v\n", c.Target[j])
	}
	path := filepath.Join(t.TempDir(), "reference.csv")
	put(t, path, text.String())
	return path
}

// Missing numbers are an error, filled in or left out, as the configuration says.
func TestFit_ImputeReachesEncoder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.csv")
	rows := "a,b,target\n"
	for j := range 40 {
		a := fmt.Sprint(j % 7)
		if j == 11 {
			a = ""
		}
		rows += fmt.Sprintf("%s,%d,%d\n", a, j%5, (3*j)%11)
	}
	put(t, path, rows)
	frame, err := data.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := keepingRows()
	cfg.Target, cfg.Loss, cfg.Holdout = "target", "squared", 0
	if _, err := FitFrame(context.Background(), frame, cfg); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a missing number was taken: %v", err)
	}
	for how, n := range map[string]int{"mean": 40, "median": 40, "drop": 39} {
		cfg.Impute = how
		m, err := FitFrame(context.Background(), frame, cfg)
		if err != nil {
			t.Errorf("impute %s: %v", how, err)
		} else if m.TrainRows != n {
			t.Errorf("impute %s: %d rows, want %d", how, m.TrainRows, n)
		}
	}
}
