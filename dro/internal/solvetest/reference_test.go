package solvetest_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

// The reference optima and design matrices live beside the repository; the
// tests that use them are skipped when they are absent.
const referenceDir = "../../../../shared/reference"

type reference struct {
	Dataset   string    `json:"dataset"`
	N         int       `json:"n"`
	D         int       `json:"d"`
	Loss      string    `json:"loss"`
	Penalty   string    `json:"penalty"`
	Nu        float64   `json:"nu"`
	Mu        float64   `json:"mu"`
	Objective float64   `json:"objective"`
	Risk      float64   `json:"robust_risk"`
	Tau       float64   `json:"tau"`
	ESS       float64   `json:"effective_sample_size"`
	X         []float64 `json:"x"`
}

func (r reference) String() string {
	return r.Dataset + "/" + r.Loss + "/" + r.Penalty + "/ν=" + strconv.FormatFloat(r.Nu, 'g', 3, 64) + "/μ=" +
		strconv.FormatFloat(r.Mu, 'g', 3, 64)
}

func references(t testing.TB) []reference {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(referenceDir, "reference.json"))
	if err != nil {
		t.Skip("no reference optima beside the repository")
	}
	var refs []reference
	if err := json.Unmarshal(raw, &refs); err != nil {
		t.Fatal(err)
	}
	return refs
}

type table struct {
	n, d      int
	x, target []float64
}

var designs sync.Map // dataset → table

func loadDesign(t testing.TB, dataset string) table {
	t.Helper()
	if v, ok := designs.Load(dataset); ok {
		return v.(table)
	}
	f, err := os.Open(filepath.Join(referenceDir, dataset+"_design.csv"))
	if err != nil {
		t.Skip("no design matrix of ", dataset, " beside the repository")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var v table
	v.n, v.d = len(rows)-1, len(rows[0])-2 // the last two columns are target and group
	for _, row := range rows[1:] {
		for j, cell := range row[:v.d+1] {
			a, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			if j == v.d {
				v.target = append(v.target, a)
			} else {
				v.x = append(v.x, a)
			}
		}
	}
	designs.Store(dataset, v)
	return v
}

func (r reference) problem(t testing.TB) *dro.Problem {
	t.Helper()
	v := loadDesign(t, r.Dataset)
	loss, err := losses.Parse(r.Loss, 1)
	if err != nil {
		t.Fatal(err)
	}
	oracle := newLinear(t, loss, newDense(t, v.n, v.d, v.x), v.target)
	var dual dro.Dual = dro.Simplex{Nu: r.Nu}
	if r.Penalty == "chi2" {
		dual = dro.Simplex{Divergence: dro.PearsonChi2, Nu: r.Nu}
	}
	return &dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: r.Mu}}
}
