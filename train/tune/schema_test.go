package tune

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Every key of the JSON is in schema.md.
func TestSelection_SchemaNamesEveryKey(t *testing.T) {
	page, err := os.ReadFile("schema.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{Selection{}, Candidate{}, Path{}, CurvePoint{}} {
		of := reflect.TypeOf(v)
		for i := range of.NumField() {
			key, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if key == "-" { // of no use to readers
				continue
			}
			if !strings.Contains(string(page), "`"+key+"`") && !strings.Contains(string(page), "`"+key+"[]`") {
				t.Errorf("%s.%s: no %q in schema.md", of.Name(), of.Field(i).Name, key)
			}
		}
	}
}
