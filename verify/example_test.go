package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/verify"
)

// Check the certificate of a model from its file, its table and its proof, without the solver.
func ExampleCheck() {
	ctx := context.Background()
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "phist"}
	cfg.Ess, cfg.KeepRows, cfg.KeepProof = level.At(0.95), true, true
	trained, err := train.Fit(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	proved, err := trained.Prove(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := trained.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	model, err := verify.ReadModel(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	stored, err := data.NewFrame(proved.Columns(model.Identifier(), model.Sources)...) // as train --proof writes it
	if err != nil {
		log.Fatal(err)
	}
	proof, err := verify.ReadProof(ctx, stored, 1)
	if err != nil {
		log.Fatal(err)
	}
	table, err := datasets.Open("builtin:hmda")
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	r, err := verify.Check(ctx, model, table, proof)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("proved:", r.Proved(), r.Refused, r.Relative <= r.Asked)
	// Output: proved: true  true
}
