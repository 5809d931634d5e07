// Command sbom writes the software bill of materials of a Go binary, as recorded by the linker, in the JSON format
// of CycloneDX 1.5 with one component for each module and one for the standard library.
//
//	go run ./release/sbom FILE > FILE.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom FILE")
		os.Exit(2)
	}
	if err := writeBill(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type component struct {
	Type    string  `json:"type"`
	Ref     string  `json:"bom-ref"`
	Name    string  `json:"name"`
	Version string  `json:"version"`
	PURL    string  `json:"purl,omitempty"`
	Hashes  []value `json:"hashes,omitempty"`
	More    []value `json:"properties,omitempty"`
}

type value struct {
	Algorithm string `json:"alg,omitempty"`
	Content   string `json:"content,omitempty"`
	Name      string `json:"name,omitempty"`
	Value     string `json:"value,omitempty"`
}

// writeBill writes the bill of materials of the Go binary at path.
func writeBill(w io.Writer, path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	main := componentOf(&info.Main, "application")
	main.Hashes = []value{{Algorithm: "SHA-256", Content: fmt.Sprintf("%x", sha256.Sum256(b))}}
	main.More = []value{{Name: "file", Value: filepath.Base(path)}}
	for _, s := range info.Settings {
		main.More = append(main.More, value{Name: s.Key, Value: s.Value})
	}
	parts := []component{{Type: "library", Ref: "std", Name: "std", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + info.GoVersion[2:]}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, componentOf(m, "library"))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": main}, "components": parts,
	})
}

// componentOf returns the entry for a module, with its checksum from go.sum.
func componentOf(m *debug.Module, kind string) component {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: kind, Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" {
		c.More = []value{{Name: "go.sum", Value: m.Sum}}
	}
	return c
}
