package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// Nothing is called a leak of real tables whose columns are known when a prediction is wanted.
func TestExamine_RealTables(t *testing.T) {
	for file, roles := range map[string]Roles{
		"hmda.csv": {Target: "deny", Groups: []string{"afam"}, Drop: []string{"denpmi", "insurance"},
			GroupFeatures: true},
		"cps1988.csv":     {Target: "wage", Groups: []string{"ethnicity", "region"}, GroupFeatures: true},
		"adult_train.csv": {Target: "income", Groups: []string{"sex", "race"}, GroupFeatures: true},
		"adult_test.csv":  {Target: "income", Groups: []string{"sex", "race"}, GroupFeatures: true},
		"concrete.csv":    {}, "energy.csv": {}, "yacht.csv": {},
	} {
		path := filepath.Join("..", "..", "..", "shared", "datasets", file)
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not there", path)
			continue
		}
		f, err := data.Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if roles.Target == "" {
			roles.Target = f.Columns[len(f.Columns)-1].Name
		}
		all, err := Examine(t.Context(), f, nil, roles)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			t.Logf("%s: %s %s %s", file, f.Severity, f.What, f.String())
		}
		if leaks := leaksOf(all); len(leaks) > 0 {
			t.Errorf("%s: %q", file, stringsOf(leaks))
		}
	}
}
