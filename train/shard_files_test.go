package train

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/level"
)

// onFiles trains on several ranks, each with its own table, and returns their models and errors.
func onFiles(c Config, paths ...string) ([]*Model, []error) {
	models, told := make([]*Model, len(paths)), make([]error, len(paths))
	_ = ranks.Run(len(paths), func(comm ranks.Comm) error {
		c, r := c, comm.Rank()
		c.Data = paths[r]
		models[r], told[r] = Fit(ranks.NewContext(context.Background(), comm), c)
		return told[r]
	})
	return models, told
}

// Ranks accept the same file or copies of it, and one rank computes the checksum of a file that all ranks share.
// Other files, other numbers of rows and invalid weights are errors on all ranks.
func TestRanks_OnFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(path string, rows int, add float64) string {
		t.Helper()
		rng := rand.New(rand.NewPCG(3, 4))
		var b strings.Builder
		b.WriteString("y,a,g,h,w\n")
		for i := range rows {
			a := rng.NormFloat64()
			fmt.Fprintf(&b, "%v,%v,%c,%c,%d\n", a+add+rng.NormFloat64(), a, 'p'+rune(i%3), 'u'+rune(i%2), i%7)
		}
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, path, b.String())
		return path
	}
	one, copied, other, few := write("t.csv", 90, 0), write("copy.csv", 90, 0), write("other.csv", 90, 1), write("few.csv",
		8, 0)
	shorter := write("shorter.csv", 89, 0)
	write("two/a.csv", 45, 0)
	two := filepath.Dir(write("two/b.csv", 45, 0))
	sums := map[string]string{}
	for _, path := range []string{one, filepath.Join(two, "a.csv"), filepath.Join(two, "b.csv")} {
		content := contents(t, path)
		sums[filepath.Base(path)] = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	sums["copy.csv"] = sums["t.csv"]
	c := keepingRows()
	c.Target, c.Groups, c.Nu, c.Drop = "y", []string{"g", "h"}, level.At(1), []string{"w"}
	for name, v := range map[string]struct {
		paths []string
		set   func(*Config)
		want  string // of the errors of all; "": there are none
	}{
		"one file":         {[]string{one, one, one}, nil, ""},
		"as many as ranks": {[]string{two, two}, nil, ""},
		"copies":           {[]string{one, copied, one}, nil, ""},
		"chosen":           {[]string{one, one, one}, func(c *Config) { c.Nu, c.MinGroupSize = nil, 5 }, ""},
		"few rows": {[]string{few, few, few},
			func(c *Config) { c.Nu, c.Groups, c.Loss, c.Holdout = nil, nil, "squared", 0.7 }, ""},
		"few rows, asked for": {[]string{few, few, few},
			func(c *Config) { c.Nu, c.Groups, c.Select, c.Loss, c.Holdout = nil, nil, "tail", "squared", 0.7 },
			"3 folds for 2 rows"},
		"other rows": {[]string{one, other, one}, nil, "rank 1 reads a different file from rank 0"},
		"fewer rows": {[]string{one, shorter, one}, nil, "rank 1 reads a table of 89 rows, but rank 0 reads 90"},
		"more files": {[]string{one, one, two}, nil, "rank 2 finds 2 files, but rank 0 finds 1"},
		"weights of nothing": {[]string{one, one, one}, func(c *Config) { c.Weight, c.Drop = "w", nil },
			`the weight is 0; 13 of 90 weights are not positive`},
		"weights of words": {[]string{one, one, one}, func(c *Config) { c.Weight, c.Drop, c.Groups = "g", nil, nil },
			"the weights must be numeric, but the column holds string"},
	} {
		c := c
		if v.set != nil {
			v.set(&c)
		}
		models, told := onFiles(c, v.paths...)
		for r, err := range told {
			if (err != nil) != (v.want != "") || err != nil && !strings.Contains(err.Error(), v.want) {
				t.Errorf("%s, rank %d: %v", name, r, err)
			} else if err == nil {
				if models[r].Result.Objective != models[0].Result.Objective {
					t.Errorf("%s, rank %d: another model", name, r)
				}
				for _, s := range models[r].Sources {
					if v.paths[r] != few && s.SHA256 != sums[filepath.Base(s.Path)] {
						t.Errorf("%s, rank %d: the sum of %s is %s", name, r, s.Path, s.SHA256)
					}
				}
			}
		}
		if name == "few rows" && (models[2] == nil || models[2].Config.Average != "plain") {
			t.Errorf("%s: %+v", name, models[2])
		}
	}
}
