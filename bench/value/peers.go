package value

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/drotrain/drotrain/data"
)

//go:embed peers.py
var script []byte

// Models of other programs, where they are installed.
const (
	ClassWeights = "scikit-learn, class weights"
	GroupWeights = "scikit-learn, group weights"
	Fairlearn    = "fairlearn"
)

// Peers runs Python programs on the splits of one table.
type Peers struct {
	python, dir string
	splits      []split
}

type split struct {
	Seed    uint64 `json:"seed"`
	Binary  bool   `json:"binary"`
	Columns int    `json:"columns"`
}

// HasPeers reports whether this interpreter has the packages, but for fairlearn, which may
// be there.
func HasPeers(ctx context.Context, python string) bool {
	return exec.CommandContext(ctx, python, "-c", "import numpy, sklearn").Run() == nil
}

// NewPeers returns peers that this interpreter runs, with files in a folder of their own.
func NewPeers(python string) (*Peers, error) {
	dir, err := os.MkdirTemp("", "value")
	return &Peers{python: python, dir: dir}, err
}

// Close removes the files.
func (p *Peers) Close() {
	os.RemoveAll(p.dir)
}

// Add writes a split: the design with the constant last, the targets and the groups, of
// held-out rows those that are judged.
func (p *Peers) Add(seed uint64, classes bool, f *data.Fitted, judged []int32) error {
	p.splits = append(p.splits, split{seed, classes, f.Train.D})
	for name, d := range map[string]*data.Dataset{"train": f.Train, "test": f.Holdout} {
		x := make([]float64, d.N*d.D)
		for i := range d.N {
			d.X.RowTo(x[i*d.D:(i+1)*d.D], i)
		}
		of := judged
		if name == "train" {
			of = d.Groups[len(d.Groups)-1].Index
		}
		groups := make([]float64, d.N)
		for j, g := range of {
			groups[j] = float64(g)
		}
		for of, v := range map[string][]float64{"x": x, "y": d.Target, "g": groups} {
			raw := make([]byte, 0, 8*len(v))
			for _, a := range v {
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(a))
			}
			if err := os.WriteFile(filepath.Join(p.dir, fmt.Sprintf("%d.%s.%s", seed, name, of)), raw, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run runs the models on the splits added, and returns their rows, under every one of the
// names, and what was said of those that failed.
func (p *Peers) Run(ctx context.Context, names ...string) (rows []Row, failed string, err error) {
	raw, err := json.Marshal(p.splits)
	if err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "splits.json"), raw, 0o600); err != nil {
		return nil, "", err
	}
	path := filepath.Join(p.dir, "peers.py")
	if err := os.WriteFile(path, script, 0o600); err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, p.python, path, p.dir)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1") // small problems: threads only wait
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, "", fmt.Errorf("peers: %w: %s", err, errs.String())
	}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var r struct {
			Model, By            string
			Seed                 uint64
			Average, Worst, Tail float64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, "", fmt.Errorf("peers: %w", err)
		}
		for _, table := range names {
			rows = append(rows, Row{Table: table, Model: r.Model, Seed: r.Seed, Average: r.Average, Worst: r.Worst, Tail: r.Tail, By: r.By})
		}
	}
	return rows, errs.String(), nil
}
