package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A report is everything that is written.
type report struct {
	Date    string    `json:"date"`
	CPU     string    `json:"cpu"`
	Cores   int       `json:"cores"`
	Go      string    `json:"go"`
	Command string    `json:"command"`
	Results []*result `json:"results"`
}

func write(o *options, results []*result) error {
	command := fmt.Sprintf("go run ./bench -repeats %d -cells '%s'", o.repeats, o.cells)
	if o.quick {
		command += " -quick"
	}
	r := report{time.Now().UTC().Format(time.DateOnly), cpuModel(), runtime.NumCPU(), runtime.Version(), command, results}
	md := r.markdown()
	if o.out == "" {
		_, err := os.Stdout.WriteString(md)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	raw, err := json.Marshal(round(r))
	if err != nil {
		return err
	}
	raw = bytes.ReplaceAll(raw, []byte(`{"cell"`), []byte("\n{\"cell\""))
	if err := os.WriteFile(o.out+".json", append(raw, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(o.out+".md", []byte(md), 0o644)
}

// round keeps four digits of what was measured.
func round(r report) report {
	digits := func(v float64) float64 {
		if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return 0
		}
		p := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
		return math.Round(v*p) / p
	}
	for _, res := range r.Results {
		for _, s := range res.Series {
			for k := range s.Seconds {
				s.Seconds[k] = digits(s.Seconds[k])
			}
			s.Gap = digits(s.Gap)
		}
		for k := range res.Speedup {
			res.Speedup[k] = digits(res.Speedup[k])
		}
		res.Fraction = digits(res.Fraction)
		res.Bandwidth = bandwidth{digits(res.Bandwidth.One), digits(res.Bandwidth.Two)}
	}
	return r
}

// cpuModel is the processor's name, unknown where the system does not tell.
func cpuModel() string {
	raw, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s, %s. `%s`\n", r.CPU, r.Cores, r.Go, r.Date, r.Command)
	for _, group := range []string{"quick", "main", "sweep-n", "sweep-d", "sweep-nu", "ref"} {
		var rows []*result
		for _, res := range r.Results {
			if res.Problem.Group == group {
				rows = append(rows, res)
			}
		}
		if len(rows) == 0 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b *result) int {
			return strings.Compare(fmt.Sprintf("%09d %09d", a.Problem.N, a.Problem.D), fmt.Sprintf("%09d %09d", b.Problem.N, b.Problem.D))
		})
		fmt.Fprintf(&b, "\n### %s\n\n", group)
		b.WriteString("| cell | ours, ms | passes | gap | scipy, ms | threads | evaluations | gap | scipy ÷ ours (least–most) | on one thread each | our L-BFGS, ms (passes) | separable, ms (passes) | cvxpy, ms | scipy, MB | of bandwidth |\n")
		b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, res := range rows {
			res.row(&b)
		}
		summary(&b, rows)
	}
	designs(&b, r.Results)
	return b.String()
}

func (r *result) row(b *strings.Builder) {
	own, scipy, cvxpy := r.of("ours"), r.of("scipy"), r.of("cvxpy")
	_, name, _ := strings.Cut(r.Cell, "/")
	if !r.Sound {
		name += " **bounds contradict**"
	}
	fmt.Fprintf(b, "| %s | %s | %.1f | %.1e |", name, own.ms(), own.Passes, own.Gap)
	if scipy == nil {
		b.WriteString(" – | – | – | – | – | – |")
	} else {
		fmt.Fprintf(b, " %s | %s | %.0f | %.1e | %.1f (%.1f–%.1f) | %.1f |", scipy.ms(), strings.TrimPrefix(scipy.Solver, "scipy-"), scipy.Passes, scipy.Gap,
			median(r.Speedup), slices.Min(r.Speedup), slices.Max(r.Speedup), r.oneThread())
	}
	for _, name := range []string{"lbfgs", "separable"} {
		s := r.of(name)
		fmt.Fprintf(b, " %s (%.0f) |", s.ms(), s.Passes)
	}
	if cvxpy == nil {
		b.WriteString(" – |")
	} else {
		fmt.Fprintf(b, " %s |", cvxpy.ms())
	}
	rss := "–"
	if scipy != nil {
		rss = fmt.Sprintf("%.0f", scipy.RSS/1e6)
	}
	fmt.Fprintf(b, " %s | %.0f %% |\n", rss, 100*r.Fraction)
}

// ms is the median, with what went wrong if anything did.
func (s *series) ms() string {
	text := fmt.Sprintf("%.3g", 1000*median(s.Seconds))
	if m := 1000 * median(s.Seconds); m >= 1000 {
		text = fmt.Sprintf("%.0f", m)
	}
	if s.Status != "certified" && s.Status != "solved" {
		text += " " + s.Status
	}
	return text
}

// summary counts the rows that meet the goal.
func summary(b *strings.Builder, rows []*result) {
	var five, ten, slower, compared int
	var ratios []float64
	for _, r := range rows {
		own, scipy := r.of("ours"), r.of("scipy")
		if own.Status == "certified" && own.Passes <= 5 {
			five++
		}
		if scipy == nil {
			continue
		}
		compared++
		ratio := median(r.Speedup)
		ratios = append(ratios, ratio)
		if ratio >= 10 {
			ten++
		}
		if ratio < 1 {
			slower++
		}
	}
	fmt.Fprintf(b, "\nCertified within 5 passes: %d of %d.", five, len(rows))
	if compared > 0 {
		fmt.Fprintf(b, " At least 10 × faster than scipy: %d of %d; slower: %d; median %.1f ×, least %.1f ×, most %.1f ×.",
			ten, compared, slower, median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	b.WriteString("\n")
}

// designs tells how fast a plain sum reads each design.
func designs(b *strings.Builder, results []*result) {
	b.WriteString("\n### Memory\n\n| design | MB | sum, 1 goroutine, GB/s | 2 goroutines, GB/s |\n|---|--:|--:|--:|\n")
	seen := map[source]bool{}
	for _, r := range results {
		p := &r.Problem
		if seen[p.Source] {
			continue
		}
		seen[p.Source] = true
		name := p.Source.Dataset
		if name == "" {
			name = fmt.Sprintf("κ = %g", p.Source.Kappa)
		}
		fmt.Fprintf(b, "| %s, %d × %d | %.0f | %.1f | %.1f |\n", name, p.N, p.D, float64(8*p.N*p.D)/1e6, r.Bandwidth.One/1e9, r.Bandwidth.Two/1e9)
	}
}
