package train_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train"
)

// hiddenSlopes writes a table of which a share of the rows follows another slope, and
// returns its path and which rows do.
func hiddenSlopes(t *testing.T, n int, share float64) (string, []bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	b.WriteString("y,dose,age\n")
	other := make([]bool, n)
	for j := range n {
		slope := 1.0
		if other[j] = rng.Float64() < share; other[j] {
			slope = -1
		}
		dose, age := rng.NormFloat64(), 40+10*rng.NormFloat64()
		b.WriteString(decimal(slope*dose+age/20+0.3*rng.NormFloat64()) + "," + decimal(dose) + "," + decimal(age) + "\n")
	}
	path := filepath.Join(t.TempDir(), "hidden.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, other
}

// Without groups and without a level the training finds a hidden subgroup, says where its
// law differs, helps it on rows held out by a third, and tells the same when it is loaded.
func TestFitFindsAHiddenSubgroup(t *testing.T) {
	path, other := hiddenSlopes(t, 3000, 0.12)
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target = path, "y"
	m := fit(t, cfg)
	s := m.Result.Selection
	if s == nil || s.Criterion != "subgroup" || m.Config.Latent == nil || !m.Result.Certified || m.Latent == nil {
		t.Fatalf("selection %+v, level %v", s, m.Config.Level)
	}
	notes := strings.Join(m.Notes, "\n")
	if !strings.Contains(notes, "a hidden subgroup: about 13 %") || !strings.Contains(notes, "per unit of dose -1.03 instead of 1.01);") {
		t.Errorf("notes:\n%s", notes)
	}
	risk := func(x []float64) float64 {
		p, err := m.PredictDataset(m.Run.Holdout, x)
		if err != nil {
			t.Fatal(err)
		}
		sum, count := 0.0, 0.0
		for i, row := range p.Rows {
			if other[row] {
				sum += p.Loss[i]
				count++
			}
		}
		return sum / count
	}
	if plain, chosen := risk(m.Baseline), risk(m.Coefficients); !(chosen < plain*2/3) {
		t.Errorf("the hidden rows held out: ERM %v, chosen %v", plain, chosen)
	}
	loaded := reloaded(t, m)
	if err := loaded.Rerun(t.Context(), m.Run.Frame); err != nil {
		t.Fatal(err)
	}
	for j, w := range m.Run.Weights {
		if math.Abs(w-loaded.Run.Weights[j]) > 1e-12 {
			t.Fatalf("weight of row %d: %v, after loading %v", j, w, loaded.Run.Weights[j])
		}
	}
	loaded.Latent = nil
	saved := filepath.Join(t.TempDir(), "model.json")
	if err := loaded.Save(saved, false); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Load(saved); err == nil || !strings.Contains(err.Error(), "latent_laws") {
		t.Errorf("a model without its laws: %v", err)
	}
}

// Too few rows for two laws are an error where a hidden subgroup was asked for.
func TestLatentNeedsRows(t *testing.T) {
	path, _ := hiddenSlopes(t, 40, 0.2)
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Holdout = path, "y", 0
	share := 0.5
	cfg.Latent = &share
	if _, err := train.Fit(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "40 training rows are too few to find two laws of 3 columns") {
		t.Errorf("40 rows: %v", err)
	}
}
