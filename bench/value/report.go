package value

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Write writes docs/value.md: the mean over the splits of every model's held-out risks,
// and the change from ERM to the model chosen with its paired standard error.
func Write(w io.Writer, tables []Table, rows []Row, seeds int) error {
	p := &printer{w: w}
	p.line("# What robust training is worth")
	p.line("")
	p.line("Written by `go run ./bench/experiments value -write docs/value.md`: %d splits of every table, a quarter of the rows held out and never seen by the training or the choice. Tables that are not embedded are read from a folder beside the repository. Losses are logistic for two classes and squared, in standard deviations of the target, else; μ = 1/n for all.", seeds)
	p.line("")
	p.line("*balanced ERM* gives every group the same weight; *group DRO* is the adversary over groups at a price of a hundredth of ERM's risk; *KL, 80 %%* is robust to every reweighting that leaves 80 %% of the rows effective; *chosen* is what `drotrain train` trains without options. Where the groups are not named, balanced ERM and group DRO are told of them all the same, for comparison.")
	p.line("")
	p.line("## Risk of the worst group on rows held out")
	p.line("")
	p.line("The change is chosen − ERM, paired over the splits, ± its standard error.")
	p.line("")
	p.line("| table | %s | change | |", strings.Join(Models, " | "))
	p.line("|---|%s---|---|", strings.Repeat("---|", len(Models)))
	for _, t := range tables {
		if at(rows, t.Name, ERM) == nil {
			continue
		}
		cells := []string{}
		for _, m := range Models {
			cells = append(cells, fmt.Sprintf("%.3f", mean(at(rows, t.Name, m), worst)))
		}
		d, se := change(rows, t.Name, worst)
		p.line("| %s | %s | %+.4f ± %.4f | %s |", t.Name, strings.Join(cells, " | "), d, se, word(d, se))
	}
	p.line("")
	p.line("## Average risk on rows held out")
	p.line("")
	p.line("| table | %s | change |", strings.Join(Models, " | "))
	p.line("|---|%s---|", strings.Repeat("---|", len(Models)))
	for _, t := range tables {
		if at(rows, t.Name, ERM) == nil {
			continue
		}
		cells := []string{}
		for _, m := range Models {
			cells = append(cells, fmt.Sprintf("%.3f", mean(at(rows, t.Name, m), average)))
		}
		d, se := change(rows, t.Name, average)
		p.line("| %s | %s | %+.4f ± %.4f |", t.Name, strings.Join(cells, " | "), d, se)
	}
	p.line("")
	p.line("## The tables, and what was chosen")
	p.line("")
	p.line("| table | what | chosen |")
	p.line("|---|---|---|")
	for _, t := range tables {
		if of := at(rows, t.Name, Chosen); of != nil {
			p.line("| %s | %s | %s |", t.Name, t.About, choices(of))
		}
	}
	p.line("")
	p.line("## Where it helps, and why not elsewhere")
	p.line("")
	p.line("It helps where a group follows another law than the rest and the average can be traded for it: a spurious feature (digits), another slope, part-time wages. Where the labels are mostly noise and the groups differ little in what the features say of them (adult, compas, hmda), the best of these models are within two per cent of ERM, and reweighting hard only makes small groups overfit: with two classes the robust classifier is then that of the average (Hu, Niu, Sato and Sugiyama, *Does Distributionally Robust Supervised Learning Give Robust Classifiers?*, ICML 2018), and what changes is how sure it is. A fixed level, as KL at 80 %%, pays in the average on every table; the choice does not.")
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func at(rows []Row, table, model string) []Row {
	var out []Row
	for _, r := range rows {
		if r.Table == table && r.Model == model {
			out = append(out, r)
		}
	}
	return out
}

func worst(r Row) float64   { return r.Worst }
func average(r Row) float64 { return r.Average }

func mean(rows []Row, of func(Row) float64) float64 {
	s := 0.0
	for _, r := range rows {
		s += of(r) / float64(len(rows))
	}
	return s
}

// change returns the mean of chosen − ERM over the splits and its standard error.
func change(rows []Row, table string, of func(Row) float64) (d, se float64) {
	a, b := at(rows, table, ERM), at(rows, table, Chosen)
	n := float64(len(a))
	for i := range a {
		d += (of(b[i]) - of(a[i])) / n
	}
	for i := range a {
		v := of(b[i]) - of(a[i]) - d
		se += v * v
	}
	return d, math.Sqrt(se / max(1, n-1) / n)
}

// word says what a change is.
func word(d, se float64) string {
	switch {
	case d < -2*se:
		return "lower"
	case d > se:
		return "HIGHER"
	}
	return "as good"
}

// choices counts what was chosen over the splits.
func choices(rows []Row) string {
	count := map[string]int{}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.Chosen, ", ν")
		count[name]++
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, count[name])
	}
	return strings.Join(names, ", ")
}
