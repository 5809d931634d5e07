// Command gen makes the embedded Parquet files from CSV files of the same names:
//
//	go run ./datasets/gen DIR_WITH_CSV datasets/files
//
// digits.csv is the table of scikit-learn's load_digits(): digit, then the pixels p00 to p77 by row and column.
// plant adds a simulated colour.
//
// loans and loans-next are simulated by simulate and need no CSV file:
//
//	go run ./datasets/gen datasets/files
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/data"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: gen [DIR_WITH_CSV] OUTPUT_DIR")
		os.Exit(2)
	}
	to := os.Args[len(os.Args)-1]
	for _, p := range periods {
		if err := data.WriteTable(filepath.Join(to, p.name+".parquet"), simulate(p), true); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
	if len(os.Args) == 2 {
		return
	}
	for _, name := range []string{"cps1988", "digits", "hmda"} {
		if err := convert(filepath.Join(os.Args[1], name+".csv"), filepath.Join(to, name+".parquet")); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func convert(from, to string) error {
	f, err := data.Read(context.Background(), from)
	if err != nil {
		return err
	}
	cols := make([]data.Column, len(f.Columns))
	for i, c := range f.Columns {
		cols[i] = *c
		if c.Kind == data.Numeric && c.Integer {
			cols[i].Type = "int32"
		}
	}
	if filepath.Base(from) == "digits.csv" {
		cols = plant(cols)
	}
	return data.WriteTable(to, cols, true)
}

// plant replaces the digit by the target, low (0 to 4) or high (5 to 9). It adds the colour of the ink and whether
// the colour agrees with the target: in 9 of 10 rows, drawn at random, low digits are red and high digits green; in
// the others the colours are exchanged.
func plant(cols []data.Column) []data.Column {
	const share, seed = 0.9, 2026
	rng := rand.New(rand.NewPCG(seed, 0))
	n := len(cols[0].Number)
	word := func(name string, levels ...string) data.Column {
		return data.Column{Name: name, Type: "string", Kind: data.Categorical, Code: make([]int32, n), Level: levels}
	}
	size, colour, agrees := word("size", "low", "high"), word("colour", "red", "green"), word("agrees", "yes", "no")
	for j, digit := range cols[0].Number {
		if digit >= 5 {
			size.Code[j] = 1
		}
		colour.Code[j] = size.Code[j]
		if rng.Float64() >= share {
			agrees.Code[j] = 1
			colour.Code[j] = 1 - size.Code[j]
		}
	}
	return append([]data.Column{size, colour, agrees}, cols[1:]...)
}
