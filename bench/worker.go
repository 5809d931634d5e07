package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// Our solver runs in a subprocess, as the peers do, so that its memory is measured separately from that of the
// benchmark. The command starts itself as `bench worker CONFIG`, and the two processes exchange lines of JSON
// (peer.go).

// workerMode is the first argument of a worker.
const workerMode = "worker"

// work serves requests from in until it ends.
func work(config string, in io.Reader, out io.Writer) error {
	var c files
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	answer := json.NewEncoder(out)
	s, err := newSolver(c)
	if err != nil {
		return err
	}
	if err := answer.Encode(reply{Ready: true}); err != nil {
		return err
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var q request
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		r, err := s.serve(c, &q)
		if err != nil {
			return err
		}
		if err := answer.Encode(r); err != nil {
			return err
		}
	}
}

// A solver holds a design and the last requested problem.
type solver struct {
	x    []float64
	rows design.Matrix
	cell cell
	p    *dro.Problem
	warm bool // the worker has solved this cell before
}

func newSolver(c files) (*solver, error) {
	x, err := readFile(c.Path + ".x")
	if err != nil {
		return nil, err
	}
	rows, err := design.NewDense(c.N, c.D, x)
	return &solver{x: x, rows: rows}, err
}

func (s *solver) serve(c files, q *request) (reply, error) {
	if s.p == nil || q.Cell != s.cell {
		target, err := readFile(c.Path + targetSuffix(q.Cell.Loss))
		if err != nil {
			return reply{}, err
		}
		if s.p, err = problem(&q.Cell, s.rows, target); err != nil {
			return reply{}, err
		}
		s.cell, s.warm = q.Cell, false
		if _, err := dro.Certify(s.p, nil); err != nil { // the peers also evaluate once
			return reply{}, err
		}
	}
	return s.solve(q)
}

func problem(c *cell, rows design.Matrix, target []float64) (*dro.Problem, error) {
	loss, err := losses.Parse(c.Loss, 1)
	if err != nil {
		return nil, err
	}
	oracle, err := losses.NewLinear(loss, rows, target)
	if err != nil {
		return nil, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: c.Nu}, Primal: dro.L2{Mu: c.Mu}}
	if c.Penalty == "chi2" {
		p.Dual = dro.ChiSquare{Nu: c.Nu}
	}
	return p, nil
}

// solve measures the time of dro.Solve alone. The first run starts after memory has been returned to the system,
// and reports the memory used; later runs reuse this memory, as the peers reuse their vectors. A pass is timed by a
// solve that ends after its first evaluation.
func (s *solver) solve(q *request) (reply, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(q.Threads))
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(q.Seconds*float64(time.Second)))
	defer cancel()
	settings := dro.Options{}
	settings.RelativeGap = q.Gap
	if !s.warm {
		debug.FreeOSMemory()
		resetPeak()
	}
	runtime.GC()
	began := time.Now()
	res, err := dro.Solve(ctx, s.p, &settings)
	seconds := time.Since(began).Seconds()
	if res == nil {
		return reply{}, err
	}
	s.warm = true
	out := reply{Seconds: seconds, Passes: res.Passes, Status: res.Status.String(), X: res.X, RSS: peak()}
	if q.Pass {
		var took []float64
		for range 3 {
			began = time.Now()
			once := dro.Options{}
			once.X0, once.MaxPasses = res.X, math.SmallestNonzeroFloat64
			once.Method = dro.LBFGS{}
			if _, err := dro.Solve(ctx, s.p, &once); err != nil {
				return reply{}, err
			}
			took = append(took, time.Since(began).Seconds())
		}
		out.PassSeconds = median(took)
	}
	return out, nil
}

// resetPeak resets the highest resident memory so far, if the system supports it.
func resetPeak() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peak returns the highest resident memory since resetPeak in bytes, or 0 if it is unknown.
func peak() float64 {
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return 1024 * kb
		}
	}
	return 0
}

func workerMain(args []string) {
	err := fmt.Errorf("%s needs a configuration", workerMode)
	if len(args) == 1 {
		err = work(args[0], os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench worker:", err)
		os.Exit(1)
	}
}
