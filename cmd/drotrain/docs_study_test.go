package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// README, the help and docs/value.md state the numbers of the study on real tables that bench/value/table.py wrote.
func TestDocs_StudyNumbers(t *testing.T) {
	raw, err := os.ReadFile("../../bench/results/value.json")
	if err != nil {
		t.Fatal(err)
	}
	type comparison struct {
		Counts []int   `json:"lower_none_same_higher"`
		Mean   float64 `json:"mean_percent"`
		Median float64 `json:"median_percent"`
	}
	var study struct {
		Date   string                `json:"date"`
		Commit string                `json:"commit"`
		Tables int                   `json:"tables"`
		Splits int                   `json:"splits"`
		NotERM int                   `json:"not_erm"`
		Own    int                   `json:"own_coefficients"`
		Worst  map[string]comparison `json:"worst_group_risk"`
		All    map[string]comparison `json:"average_risk"`
	}
	if err := json.Unmarshal(raw, &study); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"help": strings.Join(strings.Fields(newRoot(&app{}).Long), " ")}
	for _, path := range []string{"../../README.md", "../../docs/value.md"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(b)
	}
	for where, text := range texts {
		if !strings.Contains(text, fmt.Sprintf("%d real tables", study.Tables)) {
			t.Errorf("%s does not say %d real tables", where, study.Tables)
		}
		for _, name := range []string{"without", "with"} {
			n := study.Worst["ERM "+name+" the group columns"].Counts
			if len(n) != 4 {
				t.Fatalf("the counts of %q are %v", name, n)
			}
			if want := fmt.Sprintf(" the group columns | %d | %d | %d | %d |", n[0], n[1], n[2], n[3]); where != "help" &&
				!strings.Contains(text, name+want) {
				t.Errorf("%s has no row %q", where, name+want)
			}
			if want := fmt.Sprintf(" on %d", n[0]); where == "help" && !strings.Contains(text, want) {
				t.Errorf("the help does not say %q", want)
			}
		}
	}
	percent := func(x float64) string {
		return strings.Replace(strings.Replace(fmt.Sprintf("%.1f %%", x), "-0.0", "0.0", 1), "-", "−", 1)
	}
	page := strings.Join(strings.Fields(texts["../../docs/value.md"]), " ")
	wants := []string{
		fmt.Sprintf("measured on %s at commit %s", study.Date, study.Commit),
		fmt.Sprintf("was chosen in %d of the %d splits. Coefficients by group were chosen in %d splits", study.NotERM,
			study.Splits, study.Own),
	}
	for _, name := range []string{"without", "with"} {
		erm := "ERM " + name + " the group columns"
		wants = append(wants, fmt.Sprintf("| against %s | %s | %s | %s | %d |", erm, percent(study.Worst[erm].Mean),
			percent(study.Worst[erm].Median), percent(study.All[erm].Mean), study.All[erm].Counts[0]))
	}
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("docs/value.md does not say %q", want)
		}
	}
	if want := fmt.Sprintf("chosen in %d of %d splits", study.NotERM, study.Splits); !strings.Contains(
		strings.Join(strings.Fields(texts["../../README.md"]), " "), want) {
		t.Errorf("README does not say %q", want)
	}
}
