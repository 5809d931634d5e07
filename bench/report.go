package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A report holds everything that is written.
type report struct {
	Date     string    `json:"date"`
	CPU      string    `json:"cpu"`
	Cores    int       `json:"cores"`
	Go       string    `json:"go"`
	Commit   string    `json:"commit,omitempty"`
	Versions string    `json:"versions,omitempty"` // versions of the peers
	Command  string    `json:"command"`
	Skipped  []skipped `json:"skipped,omitempty"`
	Results  []*result `json:"results"`
}

// A skipped is a cell that was requested but not measured.
type skipped struct {
	Cell   string `json:"cell"`
	Reason string `json:"reason"`
}

func newReport(o *options) *report {
	r := &report{Date: time.Now().UTC().Format(time.DateOnly), CPU: cpuModel(), Cores: runtime.NumCPU(),
		Go: runtime.Version(), Versions: peerVersions(o)}
	if out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		r.Commit = strings.TrimSpace(string(out))
	}
	r.Command = fmt.Sprintf("go -C bench run . -repeats %d -seconds %g", o.repeats, o.seconds)
	if s := o.cells.String(); s != "" {
		r.Command += fmt.Sprintf(" -cells '%s'", s)
	}
	if o.quick {
		r.Command += " -quick"
	}
	for _, module := range authors {
		if o.checkouts[module] != "" {
			r.Command += fmt.Sprintf(" -%s DIR", module)
		}
	}
	return r
}

// peerVersions returns the versions of the installed packages, as reported by Python, and the commits of the
// checkouts, as reported by git.
func peerVersions(o *options) string {
	var out []string
	const script = `import importlib.metadata as m
for name in ("numpy", "scipy", "cvxpy", "clarabel", "dro", "drlearn", "torch", "numba", "pyarrow"):
    try: print(name, m.version(name))
    except m.PackageNotFoundError: pass`
	if names, err := exec.Command(o.python, "-c", script).Output(); err == nil {
		out = strings.Split(strings.TrimSpace(string(names)), "\n")
	}
	for _, module := range authors {
		if dir := o.checkouts[module]; dir != "" {
			if is, err := exec.Command("git", "-C", dir, "rev-parse", "--short", "HEAD").Output(); err == nil {
				out = append(out, module+" at "+strings.TrimSpace(string(is)))
			}
		}
	}
	return strings.Join(out, ", ")
}

func (r *report) add(res *result) {
	roundNumbers(res)
	r.Results = append(r.Results, res)
}

func (r *report) skip(c *cell, reason string) {
	r.Skipped = append(r.Skipped, skipped{c.Name(), reason})
}

// write writes the report to NAME.json and NAME.md, completely or not at all. If name is empty, it does nothing.
func (r *report) write(name string) error {
	if name == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	raw = append(bytes.ReplaceAll(raw, []byte(`{"cell":"`), []byte("\n{\"cell\":\"")), '\n')
	for ext, text := range map[string][]byte{".json": raw, ".md": []byte(r.markdown())} {
		if err := os.WriteFile(name+ext+".new", text, 0o644); err != nil {
			return err
		}
		if err := os.Rename(name+ext+".new", name+ext); err != nil {
			return err
		}
	}
	return nil
}

// roundNumbers rounds measured numbers to four digits.
func roundNumbers(res *result) {
	digits := func(v float64) float64 {
		if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return 0
		}
		p := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
		return math.Round(v*p) / p
	}
	for _, s := range res.Series {
		for k := range s.Seconds {
			s.Seconds[k] = digits(s.Seconds[k])
		}
		s.Gap, s.Excess, s.Passes = digits(s.Gap), digits(s.Excess), digits(s.Passes)
	}
	for k := range res.Speedup {
		res.Speedup[k] = digits(res.Speedup[k])
	}
	res.Pass = digits(res.Pass)
}

// cpuModel returns the name of the processor, or its architecture if the name is unknown.
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
	fmt.Fprintf(&b, "%s, %d cores, %s, %s", r.CPU, r.Cores, r.Go, r.Date)
	if r.Commit != "" {
		b.WriteString(", commit " + r.Commit)
	}
	if r.Versions != "" {
		b.WriteString("; " + r.Versions)
	}
	fmt.Fprintf(&b, ". `%s`", r.Command)
	b.WriteString("\n\nTimes are in milliseconds: median (least–most). The checker computes gaps and excesses. " +
		"[README](../README.md#columns-of-the-result-tables) explains the columns.\n")
	r.summary(&b)
	for _, group := range groups {
		if rows := r.group(group); len(rows) > 0 {
			section(&b, group, rows)
		}
	}
	r.summarisePeers(&b)
	if len(r.Skipped) > 0 {
		b.WriteString("\n### Not run\n\n")
		for _, s := range r.Skipped {
			fmt.Fprintf(&b, "* %s: %s\n", s.Cell, s.Reason)
		}
	}
	return b.String()
}

// group returns the results of a group, by size.
func (r *report) group(name string) (rows []*result) {
	for _, res := range r.Results {
		if res.Problem.Group == name {
			rows = append(rows, res)
		}
	}
	slices.SortStableFunc(rows, func(a, b *result) int {
		return strings.Compare(fmt.Sprintf("%09d %09d", a.Problem.N, a.Problem.D),
			fmt.Sprintf("%09d %09d", b.Problem.N, b.Problem.D))
	})
	return rows
}

// section writes a table with one row for each cell.
func section(b *strings.Builder, group string, rows []*result) {
	fmt.Fprintf(b, "\n### %s\n\n", group)
	var further []string // solvers that occur only in some cells
	for _, name := range others {
		if slices.ContainsFunc(rows, func(r *result) bool { return r.seriesOf(name) != nil }) {
			further = append(further, name)
		}
	}
	head := []string{"cell", "ours", "passes", "gap", "MB", "scipy", "threads", "evaluations", "excess", "MB",
		"scipy ÷ ours", "on one thread each", "limit"}
	for _, name := range further {
		head = append(head, name+" (excess)", "÷ ours")
	}
	fmt.Fprintf(b, "| %s |\n|---%s|\n", strings.Join(head, " | "), strings.Repeat("|--:", len(head)-1))
	for _, res := range rows {
		res.row(b, further)
	}
}

func (r *result) row(b *strings.Builder, further []string) {
	own, scipy := r.seriesOf("ours"), r.seriesOf("scipy")
	_, name, _ := strings.Cut(r.Cell, "/")
	if !r.Sound {
		name += " **bounds contradict**"
	}
	fmt.Fprintf(b, "| %s | %s | %.1f | %.0e | %.0f |", name, own.ms(), own.Passes, own.Gap, own.RSS/1e6)
	if scipy == nil {
		b.WriteString(" – | – | – | – | – | – | – |")
	} else {
		one := "–"
		if v := r.oneThread(); v > 0 {
			one = r.seriesOf("scipy-1").boundPrefix() + ratio(v)
		}
		fmt.Fprintf(b, " %s | %s | %.0f | %.0e | %.0f | %s%s (%s–%s) | %s |", scipy.ms(),
			strings.TrimPrefix(scipy.Solver, "scipy-"), scipy.Passes, max(0, scipy.Excess), scipy.RSS/1e6,
			scipy.boundPrefix(), ratio(median(r.Speedup)), ratio(slices.Min(r.Speedup)), ratio(slices.Max(r.Speedup)), one)
	}
	fmt.Fprintf(b, " %s |", r.limit())
	for _, name := range further {
		s := r.seriesOf(name)
		switch {
		case s == nil:
			b.WriteString(" – | – |")
		case s.Gap < 0:
			fmt.Fprintf(b, " %s | – |", s.Status)
		default:
			fmt.Fprintf(b, " %s (%.0e) | %s%s |", s.ms(), max(0, s.Excess), s.boundPrefix(), ratio(r.ratio(s)))
		}
	}
	b.WriteString("\n")
}

// ms returns the median and the range in milliseconds, with any problems that occurred.
func (s *series) ms() string {
	text := milliseconds(median(s.Seconds))
	if len(s.Seconds) > 1 {
		text += fmt.Sprintf(" (%s–%s)", milliseconds(slices.Min(s.Seconds)), milliseconds(slices.Max(s.Seconds)))
	}
	if !s.isSolved() {
		text += " " + s.Status
	}
	return text
}

// boundPrefix returns "> " if the solver was stopped, in which case its time is only a lower bound.
func (s *series) boundPrefix() string {
	if s.isSolved() {
		return ""
	}
	return "> "
}

func milliseconds(seconds float64) string {
	if m := 1000 * seconds; m >= 100 {
		return fmt.Sprintf("%.0f", m)
	}
	return fmt.Sprintf("%.3g", 1000*seconds)
}

func ratio(v float64) string {
	if v >= 9.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
