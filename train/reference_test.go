package train

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
)

const (
	referenceDir = "../../shared/reference/" // beside the repository; skipped when absent
	datasetDir   = "../../shared/datasets/"
)

type reference struct {
	Dataset     string  `json:"dataset"`
	N           int     `json:"n"`
	D           int     `json:"d"`
	Loss        string  `json:"loss"`
	Penalty     string  `json:"penalty"`
	Nu          float64 `json:"nu"`
	Mu          float64 `json:"mu"`
	Objective   float64 `json:"objective"`
	RobustRisk  float64 `json:"robust_risk"`
	AverageRisk float64 `json:"erm_risk"`
	Tau         float64 `json:"tau"`
	ESS         float64 `json:"effective_sample_size"`
	MaxWeight   float64 `json:"max_weight"`
	Worst       string  `json:"worst_group"`
	WorstRisk   float64 `json:"worst_group_risk"`
}

// From a CSV file to a certified model, every solver reproduces every reference optimum of at most 3 000 rows.
func TestFit_References(t *testing.T) {
	raw, err := os.ReadFile(referenceDir + "reference.json")
	if err != nil {
		t.Skip("no reference optima beside the repository")
	}
	var refs []reference
	if err := json.Unmarshal(raw, &refs); err != nil {
		t.Fatal(err)
	}
	frames := map[string]*data.Frame{}
	for _, ref := range refs {
		if ref.N > 3000 {
			continue
		}
		frame := frames[ref.Dataset]
		if frame == nil {
			if frame, err = data.Read(context.Background(), referenceDir+ref.Dataset+"_design.csv"); err != nil {
				t.Fatal(err)
			}
			frames[ref.Dataset] = frame
		}
		for _, solver := range []string{"auto", "lbfgs"} {
			cfg := keepingRows()
			cfg.Target, cfg.Groups, cfg.GroupFeatures = "target", []string{"group"}, false
			cfg.Scale, cfg.ScaleTarget, cfg.Intercept, cfg.Holdout = "none", false, false, 0
			cfg.Loss, cfg.Penalty, cfg.Nu, cfg.Mu = ref.Loss, dro.Divergence(ref.Penalty), &ref.Nu, &ref.Mu
			cfg.Solver, cfg.Gap = solver, 1e-10
			cfg.Observe = func(p Progress) {
				if p.Phase == "robust" && !(p.Lower <= ref.Objective && ref.Objective <= p.Upper) {
					t.Errorf("%+v: after %v passes [%v, %v]", ref, p.Passes, p.Lower, p.Upper)
				}
				if !(p.Lower <= p.Upper) {
					t.Errorf("%s after %v passes: lower %v above upper %v", p.Phase, p.Passes, p.Lower, p.Upper)
				}
			}
			m, err := FitFrame(context.Background(), frame, cfg)
			if err != nil {
				t.Fatalf("%+v: %v", ref, err)
			}
			s := m.Summary("")
			if !s.Certified || s.N != ref.N || s.D != ref.D {
				t.Errorf("%+v by %s: status %s, %d × %d", ref, s.Solver, s.Status, s.N, s.D)
			}
			near := func(what string, got, want, tolerance float64) {
				if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
					t.Errorf("%+v by %s: %s = %v, reference %v", ref, s.Solver, what, got, want)
				}
			}
			near("objective", s.Objective, ref.Objective, 1e-9)
			// An objective within 1e-10 leaves the point, and what depends on it,
			// about √1e-10 from the optimum.
			near("robust risk", s.RobustRisk, ref.RobustRisk, 1e-4)
			near("average risk", s.AverageRisk, ref.AverageRisk, 1e-4)
			near("τ", s.Tau, ref.Tau, 1e-4)
			near("effective sample size", s.EffectiveSampleSize, ref.ESS, 1e-3)
			near("largest weight", s.MaxWeight, ref.MaxWeight, 1e-3)
			near("worst-group risk", s.WorstGroup.Risk, ref.WorstRisk, 1e-4)
			if s.WorstGroup.Name != ref.Worst {
				t.Errorf("%+v: worst group %q", ref, s.WorstGroup.Name)
			}
		}
	}
}
