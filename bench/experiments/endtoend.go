package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
)

func init() {
	register("endtoend", "reading, training, measuring and drawing beside pandas, scikit-learn and fairlearn", endToEnd)
}

// parts holds the seconds of the parts of a run. Our program trains three models and writes the page and the
// figures; the peer trains ERM and evaluates it by group without intervals.
type parts struct {
	Starting float64 `json:"starting"` // the peer's imports
	// for our program, reading the schema; values are read into the matrix when training starts
	Reading   float64 `json:"reading"`
	Training  float64 `json:"training"`
	Measuring float64 `json:"measuring"`
	Drawing   float64 `json:"drawing"`
	All       float64 `json:"all"`
	CPU       float64 `json:"cpu"`
}

// endToEnd prints the median times of the parts of a run of drotrain and of its peer, for tables of several sizes.
func endToEnd(ctx context.Context, fs *flag.FlagSet, args []string) error {
	python := fs.String("python", "python3", "interpreter that has pandas, scikit-learn, fairlearn and pyarrow")
	peer := fs.String("peer", "endtoend.py", "the script of the peer")
	dir := fs.String("dir", os.TempDir(), "folder for the tables; the largest takes 1.7 GB")
	sizes := fs.String("sizes", "1000000x20,100000x600,10000000x20", "rows x columns of the tables, separated by commas")
	repeats := fs.Int("repeats", 5, "number of interleaved runs of each program")
	choose := fs.Bool("choose", false, "drotrain also chooses the level by cross-validation, which the peer does not")
	child := fs.String("child", "", "measure one run on this table and print the times of its parts as JSON")
	if err := parse(fs, args); err != nil {
		return err
	}
	// A child process measures a single run of drotrain.
	if *child != "" {
		return trainOnce(ctx, *child, *choose, os.Stdout)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("Medians of %d interleaved runs, in seconds.\n\n", *repeats)
	fmt.Println("| table | program | starting | reading | training | measuring | drawing | all | CPU |")
	fmt.Println("|---|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, size := range strings.Split(*sizes, ",") {
		rows, columns, ok := strings.Cut(size, "x")
		if _, err := strconv.Atoi(rows); err != nil || !ok {
			return fmt.Errorf("size %q is not ROWSxCOLUMNS", size)
		}
		// The table is written once and kept for later calls.
		path := filepath.Join(*dir, "endtoend-"+size+".parquet")
		if _, err := os.Stat(path); err != nil {
			logStep("writing " + path)
			if err := command(ctx, io.Discard, *python, *peer, "make", path, rows, columns); err != nil {
				return err
			}
		}
		// Both programs run in turn, so that a change in the machine's load affects both.
		var ours, theirs []parts
		for k := range *repeats {
			logStep(fmt.Sprintf("%s: run %d of %d", size, k+1, *repeats))
			a, err := measured(ctx, self, "endtoend", "-child", path, fmt.Sprintf("-choose=%t", *choose))
			if err != nil {
				return err
			}
			b, err := measured(ctx, *python, *peer, "run", path)
			if err != nil {
				return err
			}
			ours, theirs = append(ours, a), append(theirs, b)
		}
		// Print the medians and their ratio.
		a, b := medians(ours), medians(theirs)
		who := "drotrain train, ν given"
		if *choose {
			who = "drotrain train, level chosen"
		}
		a.row(size, who)
		b.row(size, "pandas, scikit-learn, fairlearn")
		fmt.Printf("| %s | ratio | | | | | | %.2f | %.2f |\n", size, a.All/b.All, a.CPU/b.CPU)
	}
	return nil
}

func (p parts) row(size, who string) {
	fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", size, who, p.Starting, p.Reading,
		p.Training, p.Measuring, p.Drawing, p.All, p.CPU)
}

func medians(runs []parts) parts {
	of := func(f func(parts) float64) float64 {
		var x []float64
		for _, r := range runs {
			x = append(x, f(r))
		}
		slices.Sort(x)
		return x[len(x)/2]
	}
	return parts{of(func(p parts) float64 { return p.Starting }), of(func(p parts) float64 { return p.Reading }),
		of(func(p parts) float64 { return p.Training }), of(func(p parts) float64 { return p.Measuring }),
		of(func(p parts) float64 { return p.Drawing }), of(func(p parts) float64 { return p.All }), of(
			func(p parts) float64 { return p.CPU })}
}

func command(ctx context.Context, out io.Writer, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = out, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// measured runs a program that prints its parts, and returns them.
func measured(ctx context.Context, name string, args ...string) (parts, error) {
	var out strings.Builder
	if err := command(ctx, &out, name, args...); err != nil {
		return parts{}, err
	}
	var p parts
	return p, json.Unmarshal([]byte(out.String()), &p)
}

// trainOnce trains like `drotrain train` and prints the time of each part.
func trainOnce(ctx context.Context, path string, choose bool, w io.Writer) error {
	start := time.Now()
	last := start
	lap := func() float64 {
		now := time.Now()
		d := now.Sub(last).Seconds()
		last = now
		return d
	}
	var p parts
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Data, cfg.Target, cfg.Groups = path, "y", []string{"region", "sex"}
	if !choose {
		cfg.Nu = level.At(1)
	}
	frame, err := train.Open(ctx, path)
	if err != nil {
		return err
	}
	p.Reading = lap()
	m, err := train.FitFrame(ctx, frame, cfg)
	if err != nil {
		return err
	}
	p.Training = lap()
	x, err := report.Measure(ctx, m, report.DefaultOptions())
	if err != nil {
		return err
	}
	r, err := x.Report()
	if err != nil {
		return err
	}
	p.Measuring = lap()
	if err := r.Evaluation.WriteJSON(io.Discard); err != nil {
		return err
	}
	if err := page.WriteHTML(io.Discard, r); err != nil {
		return err
	}
	figures, err := page.Figures(r)
	if err != nil {
		return err
	}
	for _, f := range figures {
		if _, err := f.SVG(); err != nil {
			return err
		}
	}
	p.Drawing, p.All = lap(), time.Since(start).Seconds()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return err
	}
	p.CPU = time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
	return json.NewEncoder(w).Encode(p)
}
