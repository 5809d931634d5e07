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

// Peers runs Python programs on the splits of a table.
type Peers struct {
	python, dir string
	splits      []split
}

type split struct {
	Seed    uint64 `json:"seed"`
	Binary  bool   `json:"binary"`
	Columns int    `json:"columns"`
}

// NewPeers returns peers that this interpreter runs, with files in a folder of their own;
// nil where it has no scikit-learn.
func NewPeers(ctx context.Context, python string) *Peers {
	if python == "" || exec.CommandContext(ctx, python, "-c", "import numpy, sklearn").Run() != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "value")
	if err != nil {
		return nil
	}
	return &Peers{python: python, dir: dir}
}

// Close removes the files.
func (p *Peers) Close() {
	if p != nil {
		os.RemoveAll(p.dir)
	}
}

// add writes a split: the design with the constant last, the targets and the groups.
func (p *Peers) add(seed uint64, classes bool, train, test *data.Dataset) error {
	if p == nil {
		return nil
	}
	p.splits = append(p.splits, split{seed, classes, train.D})
	for name, d := range map[string]*data.Dataset{"train": train, "test": test} {
		x := make([]float64, d.N*d.D)
		for i := range d.N {
			d.X.RowTo(x[i*d.D:(i+1)*d.D], i)
		}
		last := d.Groups[len(d.Groups)-1]
		groups := make([]float64, d.N)
		for j, g := range last.Index {
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

// Run runs the peers on the splits added since the last time, and returns their rows and
// what they said of those that failed.
func (p *Peers) Run(ctx context.Context, table string) (rows []Row, failed string, err error) {
	if p == nil {
		return nil, "", nil
	}
	raw, err := json.Marshal(p.splits)
	if err != nil {
		return nil, "", err
	}
	p.splits = nil
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
			Model                string
			Seed                 uint64
			Average, Worst, Tail float64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, "", fmt.Errorf("peers: %w", err)
		}
		rows = append(rows, Row{Table: table, Model: r.Model, Seed: r.Seed, Average: r.Average, Worst: r.Worst, Tail: r.Tail})
	}
	return rows, errs.String(), nil
}
