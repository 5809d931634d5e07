package ablation

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/dro"
)

// What a variant refuses is said and counted, not left out.
func TestRefusalsAreRows(t *testing.T) {
	cells := slices.DeleteFunc(Cells(), func(c Cell) bool { return c.Name != "groups 2000 × 20 squared, largest mean" })
	if len(cells) != 1 {
		t.Fatalf("%d cells of that name", len(cells))
	}
	var rows []Row
	err := Run(context.Background(), cells, []Variant{{Name: "auto"}, {Name: "newton", Method: dro.Newton{}}}, 2, time.Minute, nil,
		func(r Row) { rows = append(rows, r) })
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Status != dro.Certified || rows[1].Err == nil || rows[1].Variant != "newton" || rows[1].Cell != cells[0].Name {
		t.Fatalf("%+v", rows)
	}
	var line, table strings.Builder
	WriteRow(&line, rows[1])
	Summary(&table, rows)
	if !strings.Contains(line.String(), "not solved: dro: newton needs ν > 0") {
		t.Errorf("%q", line.String())
	}
	if !strings.HasSuffix(table.String(), "| 1 |\n") { // not certified
		t.Errorf("%s", table.String())
	}
}
