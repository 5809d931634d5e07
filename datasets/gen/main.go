// Command gen makes the embedded Parquet files from CSV files of the same
// names:
//
//	go run ./datasets/gen DIR_WITH_CSV datasets/files
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/data"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen DIR_WITH_CSV OUTPUT_DIR")
		os.Exit(2)
	}
	for _, name := range []string{"cps1988", "hmda"} {
		if err := convert(filepath.Join(os.Args[1], name+".csv"), filepath.Join(os.Args[2], name+".parquet")); err != nil {
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
	return data.WriteTable(to, cols, true)
}
