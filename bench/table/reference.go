package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/methods"
	"github.com/drotrain/drotrain/losses"
)

// A problem is an entry of reference.json with its design matrix.
type problem struct {
	Dataset   string  `json:"dataset"`
	Loss      string  `json:"loss"`
	Penalty   string  `json:"penalty"`
	Nu        float64 `json:"nu"`
	Mu        float64 `json:"mu"`
	Objective float64 `json:"objective"`

	design *matrix
}

type matrix struct {
	n, d      int
	x, target []float64
}

func readReferences(dir string) ([]problem, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if err != nil {
		return nil, err
	}
	var out []problem
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("reference.json: %w", err)
	}
	designs := map[string]*matrix{}
	for i := range out {
		name := out[i].Dataset
		if designs[name] == nil {
			if designs[name], err = readDesign(filepath.Join(dir, name+"_design.csv")); err != nil {
				return nil, err
			}
		}
		out[i].design = designs[name]
	}
	return out, nil
}

// readDesign reads a design matrix; its last two columns are target and group.
func readDesign(path string) (*matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) < 2 || len(rows[0]) < 3 {
		return nil, fmt.Errorf("%s: no design matrix", path)
	}
	v := &matrix{n: len(rows) - 1, d: len(rows[0]) - 2}
	for i, row := range rows[1:] {
		for j, cell := range row[:v.d+1] {
			a, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
			}
			if j == v.d {
				v.target = append(v.target, a)
			} else {
				v.x = append(v.x, a)
			}
		}
	}
	return v, nil
}

// shuffle returns the problem with its rows in random order.
func (p problem) shuffle() problem {
	d := p.design.d
	v := &matrix{n: p.design.n, d: d, x: slices.Clone(p.design.x), target: slices.Clone(p.design.target)}
	rand.New(rand.NewPCG(0, 0x726f7773)).Shuffle(v.n, func(i, j int) {
		v.target[i], v.target[j] = v.target[j], v.target[i]
		for k := range d {
			v.x[i*d+k], v.x[j*d+k] = v.x[j*d+k], v.x[i*d+k]
		}
	})
	p.design = v
	return p
}

// A countingOracle counts the rows whose squares went into Hessians.
type countingOracle struct {
	*losses.Linear
	grams *atomic.Int64
}

// AddGramTo implements dro.Curved.
func (o countingOracle) AddGramTo(dst, weight []float64, lo, hi int) {
	o.grams.Add(int64(hi - lo))
	o.Linear.AddGramTo(dst, weight, lo, hi)
}

// problem returns the saddle problem and the counter of its Hessians.
func (p problem) problem() (*dro.Problem, *atomic.Int64, error) {
	loss, err := losses.Parse(p.Loss, 1)
	if err != nil {
		return nil, nil, err
	}
	rows, err := design.NewDense(p.design.n, p.design.d, p.design.x)
	if err != nil {
		return nil, nil, err
	}
	oracle, err := losses.NewLinear(loss, rows, p.design.target)
	if err != nil {
		return nil, nil, err
	}
	grams := &atomic.Int64{}
	return &dro.Problem{Oracle: countingOracle{oracle, grams}, Dual: methods.NewDual(p.Penalty, p.Nu), Primal: dro.L2{Mu: p.Mu}}, grams, nil
}
