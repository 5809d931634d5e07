package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// The bill of a binary lists its modules; a file that is not a Go binary is an error.
func TestWriteBill_NamesTheModulesOfABinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeBill(&b, self); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format     string `json:"bomFormat"`
		Components []component
		Metadata   struct{ Component component }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Format != "CycloneDX" || len(got.Components) == 0 ||
		got.Components[0].Name != "std" {
		t.Errorf("%v\n%s", err, b.String())
	}
	if h := got.Metadata.Component.Hashes; len(h) != 1 || len(h[0].Content) != 64 {
		t.Errorf("hashes %v", h)
	}
	if writeBill(&b, "main.go") == nil {
		t.Error("there is a bill of a text file")
	}
}
