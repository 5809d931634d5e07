// Command solver measures the solver on fixed cells: CPU time, passes and status. Run it before and after a change
// of the solver and compare the two files:
//
//	go -C bench run ./solver -out before.json
//	go -C bench run ./solver -out after.json
//	go -C bench run ./solver -compare before.json after.json
//
// It uses one thread, and reports the minimum time of several repeats of each cell.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// A result is the measurement of one cell.
type result struct {
	Cell    string
	Seconds float64 // minimum CPU time of the repeats
	Passes  float64
	Status  string
	Gap     float64 // certified relative gap
	Off     float64 `json:",omitempty"` // relative difference between the objective and the known optimum
}

func main() {
	out := flag.String("out", "", "write the results to `file` as JSON")
	compare := flag.Bool("compare", false, "compare two files of results, given as arguments: before, after")
	method := flag.String("method", "auto", "auto, lbfgs, newton or separable")
	only := flag.String("only", "", "only cells whose name contains `text`")
	gap := flag.Float64("gap", 1e-6, "relative gap to certify")
	repeat := flag.Float64("repeat", 0.15, "repeat each cell for this many `seconds`, at most 50 times")
	references := flag.String("references", "",
		"`directory` of the reference optima; without it, only generated cells are measured")
	large := flag.Bool("large", false, "only cells with a million rows; they take 200 MB")
	profile := flag.Bool("v", false, "print the decisions of the solver")
	flag.Parse()
	if *compare {
		if flag.NArg() != 2 {
			exit(fmt.Errorf("-compare needs two files"))
		}
		exit(compareFiles(flag.Arg(0), flag.Arg(1)))
		return
	}
	runtime.GOMAXPROCS(1)
	cells, err := referenceCells(*references)
	if err != nil && !os.IsNotExist(err) {
		exit(err)
	}
	cells = append(cells, generatedCells()...)
	if *large {
		cells = largeCells()
	}
	var results []result
	for _, c := range cells {
		if !strings.Contains(c.name, *only) {
			continue
		}
		r, err := measure(c, *method, *gap, *repeat, *profile)
		if err != nil {
			exit(fmt.Errorf("%s: %w", c.name, err))
		}
		fmt.Printf("%-60s %9.4f s %8.1f passes  %-10s %.1e %.1e\n", r.Cell, r.Seconds, r.Passes, r.Status, r.Gap, r.Off)
		results = append(results, r)
	}
	summarise(results)
	if *out != "" {
		b, err := json.MarshalIndent(results, "", " ")
		if err == nil {
			err = os.WriteFile(*out, b, 0o666)
		}
		exit(err)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "solver:", err)
		os.Exit(1)
	}
}

// methodFor returns the method with the given name for p.
func methodFor(name string, p *dro.Problem) (dro.Method, error) {
	switch name {
	case "auto":
		m, _ := dro.Choose(p)
		return m, nil
	case "lbfgs":
		return dro.LBFGS{}, nil
	case "newton":
		return dro.Newton{}, nil
	case "separable":
		return primaldual.AfterPrefix(primaldual.SeparableBlock{}), nil
	}
	return nil, fmt.Errorf("no method is called %q", name)
}

// measure solves a cell several times and returns the result with the minimum time.
func measure(c cell, method string, gap, seconds float64, verbose bool) (result, error) {
	p, err := c.problem()
	if err != nil {
		return result{}, err
	}
	r := result{Cell: c.name, Seconds: math.Inf(1)}
	settings := dro.Options{}
	settings.RelativeGap, settings.MaxPasses = gap, 2000
	if verbose {
		settings.Logf = func(format string, args ...any) { fmt.Printf("    "+format+"\n", args...) }
	}
	for spent, k := 0.0, 0; k < 50 && (spent < seconds || k == 0); k++ {
		m, err := methodFor(method, p)
		if err != nil {
			return r, err
		}
		runtime.GC()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		start := processorSeconds()
		settings.Method = m
		res, err := dro.Solve(ctx, p, &settings)
		took := processorSeconds() - start
		cancel()
		if res == nil {
			return r, err
		}
		spent += took
		r.Seconds, r.Passes, r.Status, r.Gap = min(r.Seconds,
			took), res.Passes, res.Status.String(), res.Certificate.Relative()
		if c.optimum != 0 {
			r.Off = (res.Objective - c.optimum) / math.Abs(c.optimum)
		}
		settings.Logf = nil
	}
	return r, nil
}

// processorSeconds returns the CPU time of this process.
func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// summarise prints the totals of one file.
func summarise(results []result) {
	total, passes, uncertified, within, far := 0.0, []float64{}, 0, 0, 0.0
	for _, r := range results {
		total += r.Seconds
		passes = append(passes, r.Passes)
		if r.Status != "certified" {
			uncertified++
			fmt.Println("not certified:", r.Cell, r.Status, r.Gap)
		} else if r.Passes <= 25 {
			within++
		}
		far = max(far, math.Abs(r.Off))
	}
	slices.Sort(passes)
	if len(passes) > 0 {
		fmt.Printf("%d cells, %.3f s, median %.1f passes, %d certified within 25 passes, %d not certified, farthest from a "+
			"known optimum %.1e\n",
			len(results), total, passes[len(passes)/2], within, uncertified, far)
	}
}

// compareFiles prints the ratios of the times in two files of results.
func compareFiles(before, after string) error {
	old, err := readResults(before)
	if err != nil {
		return err
	}
	now, err := readResults(after)
	if err != nil {
		return err
	}
	base := map[string]result{}
	for _, r := range old {
		base[r.Cell] = r
	}
	type ratio struct {
		result
		before result
		time   float64
	}
	var ratios []ratio
	logTime, logPasses, totalBefore, totalAfter := 0.0, 0.0, 0.0, 0.0
	for _, r := range now {
		b, ok := base[r.Cell]
		if !ok {
			continue
		}
		if r.Status != b.Status {
			fmt.Printf("status: %s: %s (%.1e) -> %s (%.1e)\n", r.Cell, b.Status, b.Gap, r.Status, r.Gap)
		}
		ratios = append(ratios, ratio{r, b, r.Seconds / b.Seconds})
		totalBefore += b.Seconds
		totalAfter += r.Seconds
		logTime += math.Log(r.Seconds / b.Seconds)
		logPasses += math.Log(r.Passes / b.Passes)
	}
	n := float64(len(ratios))
	slices.SortFunc(ratios, func(a, b ratio) int {
		if a.time > b.time {
			return -1
		}
		return 1
	})
	for k, r := range ratios {
		if k < 15 || k >= len(ratios)-5 || r.time > 2 {
			fmt.Printf("%5.2fx  %-60s %.4f -> %.4f s, %.1f -> %.1f passes\n", r.time, r.Cell, r.before.Seconds, r.Seconds,
				r.before.Passes, r.Passes)
		}
	}
	fmt.Printf("%d cells: time %.3fx and passes %.3fx in the geometric mean; %.3f -> %.3f s in all (%.3fx)\n",
		len(ratios), math.Exp(logTime/n), math.Exp(logPasses/n), totalBefore, totalAfter, totalAfter/totalBefore)
	return nil
}

func readResults(path string) (r []result, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(b, &r)
}
