package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train"
)

// doctors writes 3000 rows with two classes and with weights that make site south, where the best model differs, count
// ten times.
func doctors(t *testing.T, name string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,x,z,site,w\n")
	for i := range 3000 {
		x, z := math.Mod(float64(i)*0.618034, 1)*4-2, math.Mod(float64(i)*0.754877, 1)*4-2
		site, w, line := "north", 1.0, x
		if i%5 == 0 {
			site, w, line = "south", 10, z
		}
		y := "no"
		if line+math.Sin(float64(37*i)) > 0.7 {
			y = "yes"
		}
		fmt.Fprintf(&b, "%s,%.4f,%.4f,%s,%v\n", y, x, z, site, w)
	}
	put(t, name, b.String())
}

func mustRun(t *testing.T, command string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := try(t.Context(), strings.Fields(command)...)
	if code != exit.OK {
		t.Fatalf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
	}
	return stdout, stderr
}

// predict, eval and export use the recommended model if cross-validation chose the robustness, and the trained model
// if an option set it.
func TestModelVariant_FollowsTheRecommendation(t *testing.T) {
	t.Chdir(t.TempDir())
	doctors(t, "d.csv")
	stdout, _ := mustRun(t,
		"train --data d.csv --target y --groups site --drop w --nu 0.05 --adversary groups --out m --quiet")
	for _, recommended := range []string{train.VariantERM, train.VariantRobust, ""} {
		for _, chosen := range []bool{true, false} {
			rewrite(t, "m/model.json", recommended, chosen)
			for _, asked := range []string{"", "recommended", "robust", "erm"} {
				want := train.VariantRobust
				if asked == "erm" || recommended == train.VariantERM && (asked == "recommended" || asked == "" && chosen) {
					want = train.VariantERM
				}
				option := ""
				if asked != "" {
					option = " --model-variant " + asked
				}
				out, said := mustRun(t, "predict --model m --data d.csv --out p.csv --force --json"+option)
				var p predictOutput
				if err := json.Unmarshal([]byte(out), &p); err != nil || p.Variant != want {
					t.Errorf("recommended %q, chosen %v, asked %q: %q %v", recommended, chosen, asked, p.Variant, err)
				}
				if told := strings.Contains(said, "using the standard model (ERM)"); told != (want == train.VariantERM &&
					asked != "erm") {
					t.Errorf("recommended %q, chosen %v, asked %q: said %q", recommended, chosen, asked, said)
				}
			}
		}
	}
	if !strings.Contains(stdout, "next ") {
		t.Error(stdout)
	}
	// The predictions, the export and the evaluation are of the same model.
	rewrite(t, "m/model.json", train.VariantERM, true)
	mustRun(t, "predict --model m --data d.csv --out a.csv")
	mustRun(t, "predict --model m --data d.csv --out b.csv --model-variant erm")
	mustRun(t, "predict --model m --data d.csv --out c.csv --model-variant robust")
	read := func(name string) string {
		raw := contents(t, name)
		return string(raw)
	}
	if a, b, c := read("a.csv"), read("b.csv"), read("c.csv"); a != b || a == c {
		t.Error("the predictions are those of another model")
	}
	mustRun(t, "export --model m --out a.sql")
	mustRun(t, "export --model m --out c.sql --model-variant robust")
	if read("a.sql") == read("c.sql") {
		t.Error("the exports are of one model")
	}
	out, _ := mustRun(t, "eval --model m --data d.csv --fail-if change.worst_group.risk.high>0")
	if !strings.Contains(out, "The evaluation after training recommended the standard model (ERM).") {
		t.Error(out)
	}
	if out, _ = mustRun(t, "eval --model m --data d.csv --model-variant robust"); !strings.Contains(out, "robust") {
		t.Error(out)
	}
}

// rewrite changes the recommendation in a model.
func rewrite(t *testing.T, path, recommended string, chosen bool) {
	t.Helper()
	raw := contents(t, path)
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	result := m["result"].(map[string]any)
	result["recommended"] = recommended
	delete(result, "selection")
	if chosen {
		result["selection"] = map[string]any{"candidates": []any{map[string]any{"name": "ERM"},
			map[string]any{"name": "other"}}, "chosen": 1}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(raw))
}

// The recommendation is in the model, on the terminal, and in the printed command.
func TestTrain_SaysWhichModelToUse(t *testing.T) {
	t.Chdir(t.TempDir())
	doctors(t, "d.csv")
	for nu, want := range map[string][2]string{"1e6": {"There is no measurable difference", " \\\n         " +
		"--model-variant erm --out preds.parquet\n"},
		"0.05": {"Use the robust model", " \\\n         --out preds.parquet\n"}} {
		stdout, _ := mustRun(t,
			"train --data d.csv --target y --groups site --drop w --group-features=false --nu "+nu+" --adversary groups "+
				"--gap 1e-4 --out m --quiet --force")
		if !strings.Contains(stdout, "\n  "+want[0]) ||
			!strings.Contains(stdout, "drotrain predict --model m/model.json --data NEW.csv"+want[1]) {
			t.Errorf("ν = %s:\n%s", nu, stdout)
		}
	}
}

// eval uses the row weights of the training run unless other weights are given.
func TestEval_WeightOfTheTraining(t *testing.T) {
	t.Chdir(t.TempDir())
	doctors(t, "d.csv")
	mustRun(t, "train --data d.csv --target y --groups site --weight w --nu 1 --out m --quiet --report fast")
	for option, weighted := range map[string]bool{"": true, "--weight w": true, "--weight=": false} {
		mustRun(t, "eval --model m --data d.csv --resamples 0 --out e.json --force "+option)
		if e := metrics(t, "e.json"); e.Weighted != weighted {
			t.Errorf("%q: weighted %v", option, e.Weighted)
		}
	}
	mustRun(t, "eval --model m --data d.csv --resamples 0 --out r.json")
	raw, err := os.ReadFile("r.json")
	if err != nil || !strings.Contains(string(raw), `"weighted": true`) {
		t.Error("the report is not weighted", err)
	}
	raw, _ = os.ReadFile("d.csv")
	put(t, "without.csv", strings.ReplaceAll(string(raw), ",w\n", ",other\n"))
	_, stderr := mustRun(t, "eval --model m --data without.csv --resamples 0 --out e.json --force")
	if e := metrics(t, "e.json"); e.Weighted || !strings.Contains(stderr,
		`row weights "w", which the table lacks, so every row counts once`) {
		t.Error(stderr)
	}
}

// predict and eval use the threshold of the training run; a regression has no threshold.
func TestThreshold_OfTheTraining(t *testing.T) {
	t.Chdir(t.TempDir())
	doctors(t, "d.csv")
	mustRun(t, "train --data d.csv --target y --groups site --drop w --nu 1 --threshold 0.2 --out m --quiet --report fast")
	if e := metrics(t, "m/metrics.json"); e.Threshold == nil || *e.Threshold != 0.2 {
		t.Errorf("%v", e.Threshold)
	}
	for option, want := range map[string]float64{"": 0.2, "--threshold 0.7": 0.7} {
		out, _ := mustRun(t, "eval --model m --data d.csv --resamples 0 --out e.json --force "+option)
		if e := metrics(t, "e.json"); e.Threshold == nil || float64(*e.Threshold) != want ||
			!strings.Contains(out, fmt.Sprintf("threshold %g", want)) {
			t.Errorf("%q: %v\n%s", option, e.Threshold, out)
		}
		mustRun(t, "predict --model m --data d.csv --out p.csv --force "+option)
		raw, _ := os.ReadFile("p.csv")
		for _, line := range strings.Fields(string(raw))[1:] {
			f := strings.Split(line, ",")
			var p float64
			fmt.Sscan(f[1], &p)
			if (f[2] == "yes") != (p >= want) {
				t.Fatalf("%q: %s", option, line)
			}
		}
	}
	if code, _, stderr := try(t.Context(), strings.Fields("train --data d.csv --target x --threshold 0.2 --nu 1 --out "+
		"n --quiet --report fast")...); code == exit.OK || !strings.Contains(stderr,
		"threshold needs a target with two classes") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// If the labels do not show which of them the scores refer to, the error asks for --positive; scores that point the
// other way lead to a warning.
func TestAudit_PositiveLabel(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("y,p,q,b\n")
	for i := range 60 {
		score := float64(i) / 60
		fmt.Fprintf(&b, "%s,%.3f,%.3f,%d\n", map[bool]string{true: "approved", false: "rejected"}[i%7 > 2 == (i > 30)], score,
			1-score, i%2)
	}
	put(t, "a.csv", b.String())
	code, _, stderr := try(t.Context(), strings.Fields("eval --predictions a.csv --target y --score p")...)
	if code == exit.OK || !strings.Contains(stderr, "the positive class, whose probability the scores give") ||
		!strings.Contains(stderr, `--positive "approved"`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for _, label := range []string{"approved", "rejected"} {
		_, out := mustRun(t, "eval --predictions a.csv --target y --score p,q --positive "+label)
		if !strings.Contains(out, "drotrain: warning: The AUC of ") || !strings.Contains(out, "below 0.5") {
			t.Errorf("%s: %s", label, out)
		}
	}
	mustRun(t, "eval --predictions a.csv --target b --score p")
}
