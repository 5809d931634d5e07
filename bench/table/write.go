// Package table writes docs/methods.md: what the methods are, the passes they
// need on the reference problems.
// Only bench/experiments imports it. Start reading at measure.go.
package table

import (
	"bytes"
	"context"
	"os"
)

// Options say what is measured for the page.
type Options struct {
	// Reference is a directory that holds reference.json, problems with optima
	// computed independently, and a design matrix DATASET_design.csv for each
	// data set.
	Reference string
	Output    string       // file to write
	MaxPasses float64      // limit of every solve
	Quick     bool         // every ninth problem, to try things out
	Log       func(string) // told what is done
}

// Write measures and writes the page.
func Write(ctx context.Context, o Options) error {
	refs, err := readReferences(o.Reference)
	if err != nil {
		return err
	}
	if o.Quick {
		var few []problem
		for i := 0; i < len(refs); i += 9 {
			few = append(few, refs[i])
		}
		refs = few
	}
	rows, err := measure(ctx, refs, o.MaxPasses, o.Log)
	if err != nil {
		return err
	}
	tried, err := tryTheory(ctx, smallest(refs), o.MaxPasses)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, newPageData(rows, smallest(refs), tried, o.MaxPasses)); err != nil {
		return err
	}
	return os.WriteFile(o.Output, b.Bytes(), 0o644)
}
