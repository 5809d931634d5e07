package eval

import (
	"math"
	"os"
	"strings"
	"testing"
)

// Every measure has every field, its values keep within its bounds, and the documentation of the JSON names it.
func TestMeasures_EveryFieldIsSet(t *testing.T) {
	schema, err := os.ReadFile("schema.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []Task{Binary, Multiclass, Regression} {
		if task.Measures()[0].Key != "risk" {
			t.Errorf("the first measure of %s is %s", task, task.Measures()[0].Key)
		}
		seen := make(map[string]bool)
		for _, m := range task.Measures() {
			if m.Key == "" || m.Label == "" || m.About == "" || seen[m.Key] {
				t.Errorf("%s: %+v", task, m)
			}
			seen[m.Key] = true
			if m.Better != Less && m.Better != More && m.Better != Neither {
				t.Errorf("%s: direction %q", m.Key, m.Better)
			}
			if !(m.Low < m.High) || math.IsNaN(m.High) || m.Unit == "share" && (m.High != 1 || m.Low != 0 && m.Low != -1) {
				t.Errorf("%s: bounds %v and %v", m.Key, m.Low, m.High)
			}
			if !strings.Contains(string(schema), "`"+m.Key+"`") {
				t.Errorf("schema.md does not name %s", m.Key)
			}
		}
	}
}
