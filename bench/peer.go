package main

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed peers.py peers_authors.py
var scripts embed.FS

// scriptOf returns the file of scripts that holds the module.
func scriptOf(module string) string {
	if slices.Contains(authors, module) {
		return "peers_authors.py"
	}
	return "peers.py"
}

// installLine returns the command that installs a missing peer.
func installLine(module string) string {
	switch module {
	case "drago":
		return "git clone https://github.com/ronakdm/drago && venv/bin/pip install torch numba, then -drago drago"
	case "drlearn":
		return "git clone https://github.com/ronakdm/drlearn && venv/bin/pip install ./drlearn, or numba scikit-learn and " +
			"-drlearn drlearn"
	}
	return "python3 -m venv venv && venv/bin/pip install numpy scipy cvxpy clarabel pyarrow dro, then -python " +
		"venv/bin/python"
}

var errMissing = errors.New("not installed")

// A peer is a subprocess that holds a design and solves problems on it when requested. Our solver runs in such a
// process too.
type peer struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	lines    chan reply
	patience float64 // factor by which a run may exceed its time before it is considered to hang
}

// files holds the location of the table: raw numbers, whose path is given without its suffix, or a single file for
// the benchmark of loading.
type files struct {
	Path string `json:"path"`
	N    int    `json:"n"`
	D    int    `json:"d"`
}

// A request is one line of input to a peer.
type request struct {
	Cell    cell    `json:"cell"`
	Files   files   `json:"files"`
	Seconds float64 `json:"seconds"` // time limit
	Threads int     `json:"threads"` // for our solver; others read theirs from the environment
	Radius  float64 `json:"radius"`  // radius of the ball in the constrained problem
	// gap that our solver must certify, and that scipy and the authors' code must reach
	Gap   float64 `json:"gap"`
	Floor float64 `json:"floor"` // lower bound of the optimum, for scipy and the authors' code
	Pass  bool    `json:"pass"`  // our solver also times a single pass
}

// A reply is one line of output of a peer.
type reply struct {
	Ready       bool
	Missing     string
	Seconds     float64
	Passes      float64 // passes of our solver; evaluations or iterations of others
	Status      string
	X           []float64
	RSS         float64
	PassSeconds float64
	Settings    json.RawMessage // authors
}

// A peerSpec names a module of peers.py, or "ours", and its number of threads.
type peerSpec struct {
	name, module string
	threads      int
}

// startPeer starts a process on the files, or returns errMissing. Idle processes use no processor time.
func startPeer(o *options, spec peerSpec, c files) (*peer, error) {
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p := &peer{lines: make(chan reply), patience: 2}
	if spec.module == "ours" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		p.cmd = exec.Command(self, workerMode, string(config))
	} else {
		if err := os.CopyFS(o.dir, scripts); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if slices.Contains(authors, spec.module) {
			p.patience += raceRuns
		}
		p.cmd = exec.Command(o.python, filepath.Join(o.dir, scriptOf(spec.module)), spec.module, string(config))
		if dir := o.checkouts[spec.module]; dir != "" {
			p.cmd.Args = append(p.cmd.Args, dir)
		}
		n := fmt.Sprint(spec.threads)
		p.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n,
			"PYTHONWARNINGS=ignore")
	}
	p.cmd.Stderr = o.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errMissing
	}
	go p.listen(bufio.NewReaderSize(out, 1<<16))
	r, err := p.readReply(10 * time.Minute)
	if err != nil || !r.Ready {
		p.stop()
		if r.Missing != "" {
			return nil, fmt.Errorf("%w (%s)", errMissing, r.Missing)
		}
		return nil, fmt.Errorf("%s did not start: %w", spec.name, errors.Join(err, errMissing))
	}
	return p, nil
}

// listen forwards the lines that are JSON; solvers may print other lines.
func (p *peer) listen(out *bufio.Reader) {
	defer close(p.lines)
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			return
		}
		var r reply
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &r) == nil {
			p.lines <- r
		}
	}
}

// readReply waits for the next reply of the peer, for at most the given time.
func (p *peer) readReply(limit time.Duration) (reply, error) {
	select {
	case r, ok := <-p.lines:
		if !ok {
			return r, errors.New("the process ended")
		}
		return r, nil
	case <-time.After(limit):
		return reply{}, errSlow
	}
}

var errSlow = errors.New("no answer in time")

// ask sends a request and returns the reply. A process that far exceeds its time is killed.
func (p *peer) ask(q request) (reply, error) {
	raw, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	if _, err := fmt.Fprintf(p.in, "%s\n", raw); err != nil {
		return reply{}, err
	}
	return p.readReply(time.Duration((p.patience*q.Seconds + 20) * float64(time.Second)))
}

// stop ends the process by closing its input or, if it is busy, by killing it.
func (p *peer) stop() {
	p.in.Close()
	select {
	case <-p.lines:
	case <-time.After(2 * time.Second):
		p.cmd.Process.Kill()
	}
	for range p.lines { // discard the remaining lines
	}
	p.cmd.Wait()
}
