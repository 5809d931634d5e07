package train

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Every storage gives the same model: sparse storage up to rounding, float32 up to the rounding of its entries. The
// storage is recorded, and saved models do not depend on it otherwise.
func TestStorage_ChangesRoundingAlone(t *testing.T) {
	for _, name := range []string{"hmda", "cps1988"} {
		cfg := builtin(t, name)
		cfg.Gap, cfg.NoBaseline = 1e-13, true // an objective so close has coefficients half as many digits close
		cfg.Storage, cfg.GroupCoefficients = "float64", "no"
		want := fit(t, cfg)
		for storage, tolerance := range map[string]float64{"auto": 1e-6, "sparse": 1e-6, "float32": 1e-5} {
			cfg.Storage = storage
			m := fit(t, cfg)
			if got := m.Config.Storage; got != storage && storage != "auto" || got == "auto" {
				t.Errorf("%s as %s: recorded as %q", name, storage, got)
			}
			for i, w := range want.Coefficients {
				if d := math.Abs(m.Coefficients[i] - w); !(d <= tolerance*(1+math.Abs(w))) {
					t.Errorf("%s as %s: coefficient %d is %v, not %v", name, storage, i, m.Coefficients[i], w)
				}
			}
			if d := math.Abs(m.Result.Objective - want.Result.Objective); !(d <= 1e-7*want.Result.Objective) {
				t.Errorf("%s as %s: objective %v, not %v", name, storage, m.Result.Objective, want.Result.Objective)
			}
			if noted := strings.Contains(strings.Join(m.Notes, "\n"), "rounded to float32"); noted != (storage == "float32") {
				t.Errorf("%s as %s: notes %q", name, storage, m.Notes)
			}
			path := filepath.Join(t.TempDir(), "model.json")
			if err := m.Save(path, false); err != nil {
				t.Fatal(err)
			}
			if loaded, err := Load(path); err != nil || loaded.Config.Storage != m.Config.Storage {
				t.Errorf("%s as %s: loaded %v", name, storage, err)
			}
		}
	}
}
