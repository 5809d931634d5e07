package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// spuriousCSV returns rows of two classes with a background that agrees with the class in most rows, as CSV.
func spuriousCSV(rows int, agree float64, seed uint64) string {
	const width = 8
	rng := rand.New(rand.NewPCG(seed, 0x7370))
	var b strings.Builder
	for i := range width {
		fmt.Fprintf(&b, "x%d,", i)
	}
	b.WriteString("y,g,part\n")
	for range rows {
		y := rng.IntN(2)
		a := y
		if rng.Float64() > agree {
			a = 1 - y
		}
		for i := range width {
			v := rng.NormFloat64()
			switch i {
			case 0:
				v += 1.5 * float64(2*y-1)
			case 1:
				v += 3 * float64(2*a-1)
			}
			fmt.Fprintf(&b, "%.6f,", v)
		}
		fmt.Fprintf(&b, "%c,%d%d,%s\n", 'n'+rune(y), y, a,
			map[bool]string{true: "train", false: "validation"}[rng.Float64() < 0.75])
	}
	return b.String()
}

// linesOf returns the header and the lines of spuriousCSV whose part is the given one.
func linesOf(csv, part string) string {
	lines := strings.SplitAfter(csv, "\n")
	kept := lines[:1]
	for _, l := range lines[1:] {
		if strings.HasSuffix(strings.TrimSpace(l), ","+part) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "")
}

// Validation rows choose the level by the accuracy of the worst group, which is better than that of ERM on rows with
// other proportions. The model is the same if a column, a second table or a program names these rows, and no model is
// fitted to them.
func TestFit_ChoosesOnValidationRows(t *testing.T) {
	all, dir := spuriousCSV(1600, 0.97, 1), t.TempDir()
	whole, trainPath, validationPath := filepath.Join(dir, "all.csv"), filepath.Join(dir, "train.csv"), filepath.Join(dir,
		"validation.csv")
	put(t, whole, all)
	put(t, trainPath, linesOf(all, "train"))
	put(t, validationPath, linesOf(all, "validation"))
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.Drop =
		whole, "y", []string{"g"}, false, 0, []string{"part"}
	marked := cfg
	marked.ValidationSplit = "part"
	m := fit(t, marked)
	s := m.Result.Selection
	if s.Criterion != "worst-group-accuracy" || s.Validation != strings.Count(linesOf(all, "validation"), "\n")-1 ||
		m.TrainRows != strings.Count(linesOf(all, "train"), "\n")-1 {
		t.Fatalf("criterion %s on %d rows, trained on %d", s.Criterion, s.Validation, m.TrainRows)
	}
	if s.Chosen == 0 || !strings.Contains(s.Reason, "validation rows") {
		t.Errorf("%s", s.Reason)
	}
	worst := func(m *Model, x []float64) float64 {
		f := readCSV(t, "test.csv", spuriousCSV(4000, 0.5, 2))
		d, _, err := m.Encoder.Encode(t.Context(), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		margin := make([]float64, d.N)
		d.X.MarginsTo(margin, x, 0, d.N)
		wrong, count := make([]float64, 4), make([]float64, 4)
		for j, v := range margin {
			g := d.Groups[0].Index[j]
			if count[g]++; (v >= 0) != (d.Target[j] > 0) {
				wrong[g]++
			}
		}
		largest := 0.0
		for g := range wrong {
			largest = max(largest, wrong[g]/count[g])
		}
		return largest
	}
	if chosen, erm := worst(m, m.Coefficients), worst(m, m.Baseline); !(chosen < 0.7*erm) {
		t.Errorf("error of the worst group %v, and %v by ERM", chosen, erm)
	}
	joined := cfg
	joined.Data, joined.ValidationData = trainPath, validationPath
	named := cfg
	named.Rows = &RowSet{Train: slices.Clone(m.Run.Train.Rows), Validation: slices.Clone(m.Run.validation.Rows)}
	slices.Sort(named.Rows.Train)
	slices.Sort(named.Rows.Validation)
	for name, c := range map[string]Config{"another table": joined, "named rows": named} {
		if other := fit(t, c); !slices.Equal(other.Coefficients, m.Coefficients) {
			t.Errorf("%s: another model, %s", name, other.Config.Level)
		}
	}
	again := fit(t, func() Config {
		c := cfg
		c.Data, c.Level, c.Mu = trainPath, m.Config.Level, m.Config.Mu
		return c
	}())
	for i, v := range again.Coefficients {
		if !(math.Abs(v-m.Coefficients[i]) <= 1e-3*(1+math.Abs(v))) {
			t.Errorf("coefficient %d: %v, and %v trained without validation rows", i, m.Coefficients[i], v)
		}
	}
}

// The mean over balanced subsets of the validation rows is the mean of models that are fitted to these rows only; the
// training rows have weight 0.
func TestFit_SubsetsOfValidationRows(t *testing.T) {
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.Drop =
		filepath.Join(t.TempDir(), "all.csv"), "y", []string{"g"}, false, 0, []string{"part"}
	put(t, cfg.Data, spuriousCSV(1200, 0.9, 3))
	cfg.ValidationSplit, cfg.Average, cfg.Mu = "part", level.ValidationSubsets, level.At(0.01)
	m := fit(t, cfg)
	table := m.validationTable()
	subsets, err := level.Subsets(table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, len(m.Coefficients))
	for _, rows := range subsets {
		x, _, err := table.Select(rows).Solve(t.Context(), level.Level{Average: "plain"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			mean[i] += v / float64(len(subsets))
		}
	}
	for i, v := range mean {
		if !(math.Abs(v-m.Coefficients[i]) <= 1e-2*(1+math.Abs(v))) {
			t.Errorf("coefficient %d: %v, not %v", i, m.Coefficients[i], v)
		}
	}
	columns, err := m.AdversaryWeights()
	if err != nil || len(columns[1].Number) != m.TrainRows || slices.Max(columns[1].Number) != 0 {
		t.Errorf("weights of the training rows: %v, %v", columns, err)
	}
	if !m.Result.Certified || !strings.Contains(strings.Join(m.Notes, "\n"), "of the validation set") {
		t.Errorf("certified %v, notes %q", m.Result.Certified, m.Notes)
	}
}

// Settings that cannot be combined with validation rows are errors that name them.
func TestConfig_ValidationConflicts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.csv")
	put(t, path, spuriousCSV(300, 0.9, 4))
	for want, set := range map[string]func(c *Config){
		"validation rows are for choosing the robustness, but it is set": func(c *Config) { c.Nu = level.At(1) },
		"set only one of them":                    func(c *Config) { c.ValidationData = path },
		"cannot be combined with validation rows": func(c *Config) { c.Evaluate = EvaluateCrossfit },
		"needs validation rows": func(c *Config) {
			c.ValidationSplit, c.Average = "",
				level.ValidationSubsets
		},
		"no column": func(c *Config) { c.ValidationSplit = "parts" },
		"needs a group of at least": func(c *Config) {
			c.Filter, c.Select = `part == "train" || g == "01" && x2 > 0.7`,
				"worst-group"
		},
	} {
		cfg := keepingRows()
		cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.ValidationSplit =
			path, "y", []string{"g"}, false, 0, "part"
		set(&cfg)
		if _, err := Fit(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// If only the validation rows have groups, clusters of the features serve as groups of the training rows for every
// family of candidates. A loaded model infers the same clusters.
func TestFit_InfersGroupsForValidationRows(t *testing.T) {
	lines := strings.SplitAfter(spuriousCSV(2400, 0.93, 5), "\n")
	for i, l := range lines {
		if strings.HasSuffix(l, ",train\n") {
			fields := strings.Split(l, ",")
			fields[len(fields)-2] = ""
			lines[i] = strings.Join(fields, ",")
		}
	}
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.Drop, cfg.ValidationSplit =
		filepath.Join(t.TempDir(), "all.csv"), "y", []string{"g"}, false, 0, []string{"part"}, "part"
	put(t, cfg.Data, strings.Join(lines, ""))
	m := fit(t, cfg)
	if !m.Config.GroupsInferred || len(m.Run.inferred.Labels) != 4 ||
		!strings.Contains(strings.Join(m.Notes, "\n"), "two clusters by their features") {
		t.Fatalf("no groups are inferred: %q", m.Notes)
	}
	families := map[string]bool{}
	for _, k := range m.Result.Selection.Candidates {
		families[k.Family] = true
	}
	for _, family := range []string{"erm", "balanced", "half", "groups", "validation-subsets"} {
		if !families[family] {
			t.Errorf("no candidate of the family %s", family)
		}
	}
	named := cfg
	named.ValidationSplit = ""
	named.Filter = `part == "validation"`
	if other := fit(t, named); other.Config.GroupsInferred {
		t.Error("groups are inferred though the training rows have groups")
	}
	again := reloaded(t, m)
	if err := again.Rerun(t.Context(), m.Run.Frame); err != nil || again.Run.inferred == nil ||
		!slices.Equal(again.Run.inferred.Group, m.Run.inferred.Group) {
		t.Errorf("read again: %v", err)
	}
}
