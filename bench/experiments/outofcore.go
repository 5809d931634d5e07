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
	makeOnly := fs.Bool("make", false, "write the table and stop")
	if err := parse(fs, args); err != nil {
		return err
	}
	if *dir == "" {
		return fmt.Errorf("no -dir")
	}
	table := filepath.Join(*dir, fmt.Sprintf("outofcore-%dx%d", *rows, *columns))
	if err := writeParts(ctx, table, *rows, *columns); err != nil || *makeOnly {
		return err
	}
	fmt.Println("| rows × columns | memory | seconds | CPU seconds | peak MB | passes | objective | gap | read at |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
	run := func(name string, options ...string) error {
		out := filepath.Join(*dir, "out")
		defer os.RemoveAll(out)
		c := exec.CommandContext(ctx, *binary, append([]string{"train", "--data", table, "--target", "y", "--out", out, "--force", "--json"}, options...)...)
		var stdout strings.Builder
		c.Stdout, c.Stderr = &stdout, os.Stderr
		began := time.Now()
		if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 4 {
			return err
		}
		took := time.Since(began).Seconds()
		var s struct {
			Passes, Objective float64
			Certificate       struct {
				RelativeGap float64 `json:"relative_gap"`
			}
		}
		if err := json.Unmarshal([]byte(stdout.String()), &s); err != nil {
			return err
		}
		use := c.ProcessState.SysUsage().(*syscall.Rusage)
		cpu := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		speed, err := bandwidth(table)
		if err != nil {
			return err
		}
		fmt.Printf("| %d × %d | %s | %.1f | %.1f | %d | %.1f | %.9f | %.1e | %.0f MB/s |\n", *rows, *columns, name, took, cpu, use.Maxrss/1024, s.Passes, s.Objective, s.Certificate.RelativeGap, speed)
		return nil
	}
	options := strings.Fields(*level)
	if err := run(*memory, append(options, "--memory", *memory)...); err != nil {
		return err
	}
	if *inMemory {
		return run("all", options...)
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
