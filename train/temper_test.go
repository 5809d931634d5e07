package train

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// The robust objective of rescaled ERM lies between those of ERM and of the robust model. Its coefficients are
// proportional to those of ERM, and no other slope and intercept have a smaller objective.
func TestTempering_IsOptimal(t *testing.T) {
	for name, l := range map[string]level.Level{
		"kl": {Nu: level.At(0.3), Penalty: "kl"}, "chi2": {Nu: level.At(0.3), Penalty: "chi2"},
		// of a fifth the best is the same odds for all, and no order
		"groups":  {Nu: level.At(0.02), Penalty: "kl", Adversary: "groups"},
		"protect": {Protect: level.At(0.7), Penalty: "kl"},
	} {
		cfg := builtin(t, "hmda")
		cfg.Level = l
		m := fit(t, cfg)
		s := m.Result
		if !(s.Tempered.RobustRisk <= s.ERM.RobustRisk+1e-6) || !(s.Tempered.Objective >= s.Objective*(1-1e-5)) {
			t.Errorf("%s: robust risk %v of ERM, %v tempered, %v of the model", name, s.ERM.RobustRisk, s.Tempered.RobustRisk,
				s.RobustRisk)
		}
		dual, err := m.Config.Level.Dual(rowsOf(m))
		if err != nil {
			t.Fatal(err)
		}
		objective := func(slope, shift float64) float64 {
			x, size := make([]float64, len(m.Baseline)), 0.0
			for i, v := range m.Baseline {
				x[i] = slope * v
				size += x[i] * x[i]
			}
			k := m.Encoder.Intercept()
			size -= x[k] * x[k]
			x[k] = m.Tempered[k] + shift
			p, err := m.PredictDataset(m.Run.Train, x)
			if err != nil {
				t.Fatal(err)
			}
			risk, _ := dual.BestResponseTo(make([]float64, len(p.Loss)), p.Loss)
			return risk + *m.Config.Mu/2*size
		}
		best := objective(s.Tempered.Slope, 0)
		if !(math.Abs(best/s.Tempered.Objective-1) <= 1e-9) {
			t.Errorf("%s: objective %v by hand, %v reported", name, best, s.Tempered.Objective)
		}
		for _, step := range [][2]float64{{0.05, 0}, {-0.05, 0}, {0, 0.05}, {0, -0.05}, {0.03, 0.03}, {0.03, -0.03}} {
			if v := objective(s.Tempered.Slope+step[0], step[1]); v < best*(1-2e-6) {
				t.Errorf("%s: %v at a step of %v, below %v", name, v, step, best)
			}
		}
		if r := s.Tempered.RankCorrelation; r == nil || !(*r > 0.3 && *r <= 1) {
			t.Errorf("%s: rank correlation %v", name, r)
		}
		if e := s.Tempered.ExplainedRobust; e == nil || !(*e >= 0 && *e <= 1.0001) {
			t.Errorf("%s: explained %v", name, e)
		}
	}
	cfg := builtin(t, "hmda")
	cfg.Nu, cfg.Average = nil, "plain"
	if m := fit(t, cfg); m.Tempered != nil || m.Result.Tempered != nil {
		t.Error("the plain average is tempered")
	}
}

func rowsOf(m *Model) level.Rows { return Rows(m.Run.Train, m.Run.Weight) }
