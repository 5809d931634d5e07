package data

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// Real tables that may not be kept here; the test skips without them.
func TestFit_RealTables(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "datasets")
	for _, c := range []struct {
		file          string
		rows, columns int
		spec          Spec
		task          Task
		d, groups     int
	}{
		{"adult_train.csv", 32561, 15, Spec{Target: "income", Groups: []string{"sex", "race"}}, Binary, 0, 3},
		{"adult_test.csv", 16281, 15, Spec{Target: "income", Features: []string{"age", "sex"}}, Binary, 2, 0},
		{"concrete.csv", 1030, 9, Spec{Target: "strength"}, Regression, 8, 0},
		{"energy.csv", 768, 10, Spec{Target: "cooling_load", Drop: []string{"heating_load"}}, Regression, 8, 0},
		{"yacht.csv", 308, 7, Spec{Target: "resistance"}, Regression, 6, 0},
	} {
		f, err := Read(context.Background(), filepath.Join(dir, c.file))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the tables are not here")
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Rows != c.rows || len(f.Columns) != c.columns {
			t.Errorf("%s: %d × %d", c.file, f.Rows, len(f.Columns))
		}
		e, err := NewEncoder(t.Context(), f, nil, c.spec)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		ds, report, err := e.Encode(t.Context(), f, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		if e.Target.Task != c.task || c.d > 0 && ds.D != c.d || len(ds.Groups) != c.groups || report.String() != "" {
			t.Errorf("%s: task %s, d %d, %d groupings, %s", c.file, e.Target.Task, ds.D, len(ds.Groups), report)
		}
	}
}
