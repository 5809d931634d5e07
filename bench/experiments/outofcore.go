package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/drotrain/drotrain/data"
)

func init() {
	register("outofcore", "training on rows that memory does not hold, beside the same in memory and the disk's bandwidth", outOfCore)
}

func outOfCore(ctx context.Context, fs *flag.FlagSet, args []string) error {
	dir := fs.String("dir", "", "folder for the tables and the runs, on the disk to be measured")
	rows := fs.Int("rows", 10_000_000, "rows of the table")
	columns := fs.Int("columns", 20, "numeric columns")
	memory := fs.String("memory", "400MB", "what the run on disk may have")
	binary := fs.String("drotrain", "drotrain", "the program")
	level := fs.String("level", "--nu 1", "options of the training, by spaces")
	inMemory := fs.Bool("in-memory", true, "run in memory too")
	solvers := fs.String("solvers", "auto,separable", "solvers to run on disk, the first in memory too")
	makeOnly := fs.Bool("make", false, "write the table and stop")
	if err := parse(fs, args); err != nil {
		return err
	}
	if *dir == "" {
		return fmt.Errorf("no -dir")
	}
	table := filepath.Join(*dir, fmt.Sprintf("outofcore-%dx%d", *rows, *columns))
	err := writeParts(ctx, table, *rows, *columns)
	if err != nil || *makeOnly {
		return err
	}
	fmt.Println("| rows × columns | memory | solver | seconds | CPU seconds | peak MB | written MB | passes | objective | gap | disk |")
	fmt.Println("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
	type cost struct{ wall, cpu float64 }
	run := func(name, solver string, options ...string) (of cost, err error) {
		out := filepath.Join(*dir, "out")
		defer os.RemoveAll(out)
		c := exec.CommandContext(ctx, *binary, append([]string{"train", "--data", table, "--target", "y", "--out", out, "--force", "--json", "--solver", solver}, options...)...)
		var stdout strings.Builder
		c.Stdout, c.Stderr = &stdout, os.Stderr
		began := time.Now()
		if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 4 {
			return of, err
		}
		of.wall = time.Since(began).Seconds()
		var s struct {
			Passes, Objective float64
			Certificate       struct {
				RelativeGap float64 `json:"relative_gap"`
			}
		}
		if err := json.Unmarshal([]byte(stdout.String()), &s); err != nil {
			return of, err
		}
		use := c.ProcessState.SysUsage().(*syscall.Rusage)
		of.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		speed, err := bandwidth(table)
		if err != nil {
			return of, err
		}
		fmt.Printf("| %d × %d | %s | %s | %.1f | %.1f | %d | %d | %.1f | %.9f | %.1e | %.0f MB/s |\n", *rows, *columns, name, solver, of.wall, of.cpu, use.Maxrss/1024, use.Oublock/2048, s.Passes, s.Objective, s.Certificate.RelativeGap, speed)
		return of, nil
	}
	options := strings.Fields(*level)
	of := map[string]cost{}
	for _, solver := range strings.Split(*solvers, ",") {
		if of[solver], err = run(*memory, solver, append(options[:len(options):len(options)], "--memory", *memory)...); err != nil {
			return err
		}
	}
	first, _, _ := strings.Cut(*solvers, ",")
	if *inMemory {
		here, err := run("all", first, options...)
		if err != nil {
			return err
		}
		for _, solver := range strings.Split(*solvers, ",") {
			c := of[solver]
			fmt.Printf("%s on disk: %.2f × the time and %.2f × the CPU seconds of %s in memory, in this run\n", solver, c.wall/here.wall, c.cpu/here.cpu, first)
		}
	}
	return nil
}

// writeParts writes a table of independent columns, a target with noise and a rare kind of
// row, in files of a million rows, unless it is there.
func writeParts(ctx context.Context, dir string, rows, columns int) error {
	const part = 1_000_000
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for first := 0; first < rows; first += part {
		path := filepath.Join(dir, fmt.Sprintf("part-%04d.parquet", first/part))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(part, rows-first)
		rng := rand.New(rand.NewPCG(7, uint64(first)))
		cols := make([]data.Column, columns+1)
		for k := range cols {
			cols[k] = data.Column{Name: fmt.Sprintf("x%02d", k), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		}
		y := cols[columns].Number
		cols[columns].Name = "y"
		for i := range n {
			rare := rng.IntN(50) == 0
			margin := 0.0
			for k := range columns {
				v := rng.NormFloat64()
				if cols[k].Number[i] = v; rare {
					v = -v
				}
				margin += v / float64(k+1)
			}
			if rng.Float64() < 1/(1+math.Exp(-margin)) {
				y[i] = 1
			}
		}
		note("writing " + path)
		if err := data.WriteTable(path, cols, true); err != nil {
			return err
		}
	}
	return nil
}

// bandwidth reads the files of a folder once, from the disk where the system lets go of
// what it keeps of them, and returns the MB a second.
func bandwidth(dir string) (float64, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return 0, err
	}
	began, total := time.Now(), int64(0)
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		forget(f)
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20))
		f.Close()
		if err != nil {
			return 0, err
		}
		total += n
	}
	return float64(total) / (1 << 20) / time.Since(began).Seconds(), nil
}
