package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed peers.py
var peersSource []byte

// Missing peers are told with the line that installs them.
const installLine = "python3 -m venv venv && venv/bin/pip install numpy scipy cvxpy clarabel, then -python venv/bin/python"

var errMissing = errors.New("not installed")

// A peer is a subprocess that holds one problem and solves it when asked to.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// A reply is one line of a peer.
type reply struct {
	Ready   bool
	Missing string
	Seconds float64
	Evals   int
	Status  string
	X       []float64
	RSS     float64
}

// A peerSpec is a module to solve with, and the threads of its BLAS. One thread
// beats two wherever the cores are shared with anything else, so both are tried.
type peerSpec struct {
	name, module, threads string
}

var peerSpecs = []peerSpec{{"scipy-1", "scipy", "1"}, {"scipy-2", "scipy", "2"}, {"cvxpy", "cvxpy", "2"}}

// startPeer starts the peer on the cell, or returns errMissing.
func startPeer(o *options, spec peerSpec, c *cell, t *table) (*peer, error) {
	script := filepath.Join(o.dir, "peers.py")
	if err := os.WriteFile(script, peersSource, 0o600); err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{
		"x": t.path + ".x", "target": t.targetPath(c.Loss), "n": c.N, "d": c.D, "loss": c.Loss, "penalty": c.Penalty,
		"nu": c.Nu, "mu": c.Mu, "gap": relativeGap,
	})
	if err != nil {
		return nil, err
	}
	p := &peer{cmd: exec.Command(o.python, script, spec.module, string(config))}
	p.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+spec.threads, "OMP_NUM_THREADS="+spec.threads, "PYTHONWARNINGS=ignore")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, errMissing
	}
	if r, err := p.read(); err != nil || !r.Ready {
		p.stop()
		return nil, errMissing
	}
	return p, nil
}

// read returns the next line that is JSON; solvers may print others.
func (p *peer) read() (r reply, err error) {
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return r, err
		}
		if strings.HasPrefix(line, "{") {
			return r, json.Unmarshal([]byte(line), &r)
		}
	}
}

// solve asks for one run of at most so many seconds.
func (p *peer) solve(seconds float64) (reply, error) {
	if _, err := fmt.Fprintln(p.in, seconds); err != nil {
		return reply{}, err
	}
	return p.read()
}

func (p *peer) stop() {
	p.in.Close()
	p.cmd.Wait()
}
