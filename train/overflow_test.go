package train

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A column whose squares overflow is an error that names it and says what to do.
func TestFit_OverflowNamesColumn(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("y,small,large\n")
	for j := range 40 {
		fmt.Fprintf(&csv, "%d,%d,%de160\n", j*j%7, j%3, j%5)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	put(t, path, csv.String())
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Loss = path, "y", "squared"
	if m, err := Fit(t.Context(), cfg); err != nil || !m.Result.Certified {
		t.Fatalf("standardised: %v", err)
	}
	cfg.Scale = "none"
	_, err := Fit(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), `"large"`) || !strings.Contains(err.Error(), "standard") {
		t.Errorf("raw: %v", err)
	}
}
