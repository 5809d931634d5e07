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
	percent := func(of map[string]comparison, name string) string {
		return strings.Replace(fmt.Sprintf("%.1f %%", of["ERM "+name+" the group columns"].Mean), "-", "−", 1)
	}
	page := strings.Join(strings.Fields(texts["../../docs/value.md"]), " ")
	for _, want := range []string{
		fmt.Sprintf("Measured on %s at commit %s", study.Date, study.Commit),
		fmt.Sprintf("chosen in %d of the %d splits, and coefficients of their own in %d", study.NotERM, study.Splits, study.Own),
		fmt.Sprintf("the worst group's risk changes by %s", percent(study.Worst, "without")),
		fmt.Sprintf("the average risk by %s; against ERM with them by %s", percent(study.All, "without"), percent(study.Worst, "with")),
		fmt.Sprintf(") and %s. The average", percent(study.All, "with")),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/value.md does not say %q", want)
		}
	}
	if want := fmt.Sprintf("chosen in %d of %d splits", study.NotERM, study.Splits); !strings.Contains(
		strings.Join(strings.Fields(texts["../../README.md"]), " "), want) {
		t.Errorf("README does not say %q", want)
	}
}
