package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train"
)

// threeKinds writes a table with three classes, given as names and as numbers, and with groups.
func threeKinds(t *testing.T, name string, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("a,b,kind,code,site\n")
	for j := range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		site := j % 2
		best, at := math.Inf(-1), 0
		for c := range 3 {
			angle := 2 * math.Pi * float64(c) / 3
			if v := 2*(x*math.Cos(angle)+float64(1-2*site*(c%2))*y*math.Sin(angle)) + rng.NormFloat64(); v > best {
				best, at = v, c
			}
		}
		if j == n-1 {
			fmt.Fprintf(&b, "%v,%v,eel,4,north\n", x, y) // a class of one row
			continue
		}
		fmt.Fprintf(&b, "%v,%v,%s,%d,%s\n", x, y, []string{"ant", "bee", "cat"}[at], at+1, []string{"north", "south"}[site])
	}
	put(t, name, b.String())
}

// A target with more than two classes works in all commands, in memory and on disk.
func TestTrain_SeveralClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	threeKinds(t, "kinds.csv", 1200)
	for _, args := range []string{
		"--groups site --report fast", "--protect 0.3 --report none", "--average plain --groups site --report none",
		"--groups site --select worst-group-accuracy --report none", "--solver lbfgs --nu 1 --report none",
		"--nu 0.3 --intercept=false --report none",
		"--nu 0.3 --memory 0 --report fast", "--groups site --adversary groups --nu 0.1",
	} {
		code, _, stderr := try(t.Context(), strings.Fields(
			"train --data kinds.csv --target kind --drop code --out m --force --allow-degenerate "+args)...)
		if code != exit.OK {
			t.Errorf("%s: exit code %d\n%s", args, code, stderr)
			continue
		}
		m, err := train.Load("m/model.json")
		if err != nil {
			t.Fatal(err)
		}
		if k, d := len(m.Classes()), m.Encoder.D(); k != 4 || len(m.Coefficients) != k*d || !m.Result.Certified {
			t.Errorf("%s: %d classes, %d coefficients for %d columns, %s", args, k, len(m.Coefficients), d, m.Result.Status)
		}
	}
	code, _, stderr := try(t.Context(), strings.Fields("predict --model m --data kinds.csv --keep kind --out p.csv")...)
	if code != exit.OK {
		t.Fatal(stderr)
	}
	raw := contents(t, "p.csv")
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 1201 ||
		lines[0] != "row,kind,probability_ant,probability_bee,probability_cat,probability_eel,prediction" {
		t.Fatalf("%d lines, the first is %s", len(lines), lines[0])
	}
	right := 0
	for _, line := range lines[1:] {
		var row int
		var p [4]float64
		cells := strings.Split(line, ",")
		if _, err := fmt.Sscan(strings.Join(append(cells[:1:1], cells[2:6]...), " "), &row, &p[0], &p[1], &p[2],
			&p[3]); err != nil {
			t.Fatal(err)
		}
		at := 0
		for c, v := range p {
			if v > p[at] {
				at = c
			}
		}
		if sum := p[0] + p[1] + p[2] + p[3]; !(math.Abs(sum-1) <= 1e-12) ||
			[]string{"ant", "bee", "cat", "eel"}[at] != cells[6] {
			t.Fatalf("%s: the probabilities sum to %v", line, sum)
		}
		if cells[1] == cells[6] {
			right++
		}
	}
	if right < 700 {
		t.Errorf("%d of 1200 rows are predicted", right)
	}
	code, stdout, stderr := try(t.Context(), strings.Fields("eval --model m --data kinds.csv --json")...)
	var e struct {
		Models []struct {
			Overall struct{ Values map[string]*float64 }
			Classes []struct {
				Class   string
				Support int
				Recall  *float64
			}
			ConfusionMatrix [][]int `json:"confusion_matrix"`
		}
		Groupings []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(stdout), &e); err != nil || code != exit.OK {
		t.Fatal(err, stderr)
	}
	m := e.Models[1] // behind ERM
	hits := 0
	for c := range m.ConfusionMatrix {
		hits += m.ConfusionMatrix[c][c]
	}
	if got := *m.Overall.Values["accuracy"]; hits != right || !(math.Abs(got-float64(right)/1200) <= 1e-12) ||
		len(m.Classes) != 4 || m.Classes[3].Support != 1 || *m.Overall.Values["macro_f1"] >= got {
		t.Errorf("%d right, confusion matrix %v, %+v", right, m.ConfusionMatrix, m.Overall.Values)
	}
	if len(e.Groupings) != 2 || e.Groupings[0].Name != "kind" || e.Groupings[1].Name != "site" {
		t.Errorf("grouped by %v", e.Groupings)
	}
}

// Whole numbers that may be classes lead to an error that asks for the loss; options that do not support more than two
// classes are refused.
func TestTrain_SeveralClassesRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	threeKinds(t, "kinds.csv", 200)
	for args, want := range map[string][]string{
		"--target code --drop kind": {"different whole numbers", "--loss logistic",
			"--loss squared", "counts"},
		"--target kind --drop code --threshold 0.4":                  {"threshold"},
		"--target kind --drop code --nu 1 --recalibrate":             {"recalibrate"},
		"--target kind --drop code --positive ant":                   {"classes", "--positive"},
		"--target kind --drop code --loss squared":                   {"must be numbers", "--loss logistic"},
		"--target kind --drop code --loss ordinal":                   {"ordinal"},
		"--target a --loss logistic":                                 {"not whole"},
		"--target kind --drop code --holdout crossfit --nu 1":        {"evaluate on hold-out rows instead"},
		"--target kind --groups site --group-features pooled --nu 1": {"group coefficients"},
	} {
		code, _, stderr := try(t.Context(), strings.Fields("train --data kinds.csv --out m --force "+args)...)
		if code == exit.OK {
			t.Errorf("%s: accepted", args)
		}
		for _, part := range want {
			if !strings.Contains(stderr, part) {
				t.Errorf("%s: %q lacks %q", args, stderr, part)
			}
		}
	}
	if code, _, stderr := try(t.Context(), strings.Fields(
		"train --data kinds.csv --target code --drop kind --loss logistic --nu 1 --out m --force --report "+
			"fast")...); code != exit.OK {
		t.Error(stderr)
	}
	for _, format := range []string{"onnx", "sql", "csv"} {
		if code, _, stderr := try(t.Context(), strings.Fields(
			"export --model m --format "+format+" --out x."+format)...); code != exit.OK {
			t.Errorf("%s: exit code %d, %s", format, code, stderr)
		}
	}
}

// Probabilities in one column per class are evaluated like those of a model.
func TestEval_PredictionsOfClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	threeKinds(t, "kinds.csv", 1200)
	type evaluation struct {
		Models    []map[string]any
		Groupings []map[string]any
	}
	evaluated := func(line string) (out evaluation) {
		t.Helper()
		code, stdout, stderr := try(t.Context(), strings.Fields(line)...)
		if code != exit.OK {
			t.Fatalf("%s: %s", line, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, line := range []string{
		"train --data kinds.csv --target kind --drop code --groups site --average plain --holdout 0 --report none --out m " +
			"--quiet",
		"predict --model m --data kinds.csv --keep kind,site --out p.csv --quiet",
	} {
		if code, _, stderr := try(t.Context(), strings.Fields(line)...); code != exit.OK {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	const predictions = "eval --predictions p.csv --target kind --groups site --drop row,prediction --json --quiet "
	model := evaluated("eval --model m --data kinds.csv --json --quiet")
	table := evaluated(predictions + "--score it=probability_*")
	if len(table.Models) != 1 || len(table.Groupings) != 2 || len(table.Models[0]["classes"].([]any)) != 4 {
		t.Fatalf("%d models, %d groupings", len(table.Models), len(table.Groupings))
	}
	for _, key := range []string{"overall", "overall_intervals", "worst_group", "cvar", "classes", "confusion_matrix",
		"most_confused"} {
		if got, want := table.Models[0][key], model.Models[0][key]; want == nil || !alike(got, want) {
			t.Errorf("%s: %v, of the model %v", key, got, want)
		}
	}
	for k := range table.Groupings {
		if got, want := table.Groupings[k], model.Groupings[k]; !alike(got, want) {
			t.Errorf("groups: %v, of the model %v", got, want)
		}
	}
	for score, want := range map[string][]string{
		"probability":                         {`no column "probability"`, "write probability_*"},
		"probability_ant":                     {`but the labels before it are only "ant"`, "* in place of the class"},
		"probability_a*":                      {"columns of 1 class, "},
		"probability_ant,probability_*":       {"names one column"},
		"probability_* --drop probability_ed": {`no column "probability_ed"`},
		"probability_* --drop probability_ant,row,prediction": {
			`the label is "ant", but there is no column "probability_ant"`},
		"probability_* --drop probability_eel,row,prediction": {`row 1200`, `there is no column "probability_eel"`},
		"probability_*,other_*":                               {`no column "other_ant"`, `no column "other_eel"`},
		"probability_* --loss huber":                          {"not a loss of several classes"},
		"probability_* --task binary":                         {"task"}, "probability_* --positive ant": {"two classes"},
		"probability_* --threshold 0.3": {"two classes"},
	} {
		code, _, stderr := try(t.Context(), strings.Fields("eval --predictions p.csv --target kind --score "+score)...)
		if code == exit.OK {
			t.Errorf("--score %s: accepted", score)
		}
		for _, part := range want {
			if !strings.Contains(stderr, part) {
				t.Errorf("--score %s: %q lacks %q", score, stderr, part)
			}
		}
	}
	put(t, "sums.csv", "kind,p_a,p_b,p_c\na,0.5,0.3,0.2\nb,0.333,0.333,0.333\nc,0.5,0.3,0.1\n")
	if _, _, stderr := try(t.Context(), strings.Fields("eval --predictions sums.csv --target kind --score "+
		"p_*")...); !strings.Contains(stderr, `column "p_*", row 3: the probabilities of the 3 classes sum to 0.9`) {
		t.Error(stderr)
	}
}

// alike reports whether two JSON values are equal except for the names of models and the last digits of numbers.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if k != "model" && !alike(v, b[k]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-9*(1+math.Abs(b))
	}
	return a == b
}
