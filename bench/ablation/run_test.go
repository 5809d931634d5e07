package ablation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/tuning"
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

// Every constant of the solvers is in docs/performance.md as it is, with its unit and what was tried,
// and no other.
func TestConstantsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tuning.All() {
		if row := fmt.Sprintf("\n| %s | %s | %.6g | %.6g, %.6g |", c.Name, c.Unit, c.Value, c.Tried[0], c.Tried[1]); strings.Count(string(page), row) != 1 {
			t.Errorf("%d rows begin with%s", strings.Count(string(page), row), row)
		}
	}
	row := regexp.MustCompile(`\n\| [^|]+: [^|]+\| [^|]+\| [0-9.e+-]+ \| [0-9.e+-]+, [0-9.e+-]+ \|`)
	if rows := row.FindAll(page, -1); len(rows) != len(tuning.All()) {
		t.Errorf("%d rows of %d constants", len(rows), len(tuning.All()))
	}
}

// Cells are told apart by their names.
func TestCellsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cells() {
		if seen[c.Name] {
			t.Errorf("two cells are called %q", c.Name)
		}
		seen[c.Name] = true
	}
}
