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
	var study struct {
		Tables int              `json:"tables"`
		Counts map[string][]int `json:"lower_none_same_higher"`
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
			n := study.Counts["ERM "+name+" the group columns"]
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
}
