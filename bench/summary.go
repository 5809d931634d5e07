package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A tally counts cells that meet the goal.
type tally struct {
	name                                    string
	cells, five, ten, both, slower, slower1 int
	compared, compared1                     int
	passes, ratios, ones                    []float64
}

func (t *tally) count(r *result) {
	own := r.seriesOf("ours")
	t.cells++
	t.passes = append(t.passes, own.Passes)
	five := own.certified() && own.Passes <= 5
	if five {
		t.five++
	}
	if v := r.oneThread(); v > 0 {
		t.compared1++
		t.ones = append(t.ones, v)
		if v < 1 {
			t.slower1++
		}
	}
	if r.seriesOf("scipy") == nil {
		return
	}
	t.compared++
	v := median(r.Speedup)
	t.ratios = append(t.ratios, v)
	if v >= 10 {
		t.ten++
		if five {
			t.both++
		}
	}
	if v < 1 {
		t.slower++
	}
}

func (t *tally) row(b *strings.Builder) {
	fmt.Fprintf(b, "| %s | %d | %d | %.1f (%.1f) |", t.name, t.cells, t.five, median(t.passes), slices.Max(t.passes))
	if t.compared == 0 {
		b.WriteString(" – | – | – | – | – |\n")
		return
	}
	fmt.Fprintf(b, " %d | %d | %d | %s (%s–%s) |", t.ten, t.both, t.slower, ratio(median(t.ratios)),
		ratio(slices.Min(t.ratios)), ratio(slices.Max(t.ratios)))
	if t.compared1 == 0 {
		b.WriteString(" – |\n")
		return
	}
	fmt.Fprintf(b, " %s (%d) |\n", ratio(median(t.ones)), t.slower1)
}

// summary writes, for each kind of cell, how many cells meet the goal.
func (r *report) summary(b *strings.Builder) {
	var order []string
	of := map[string]*tally{}
	add := func(name string, res *result) {
		if of[name] == nil {
			of[name] = &tally{name: name}
			order = append(order, name)
		}
		of[name].count(res)
	}
	for _, group := range []string{"quick", "main", "large", "small", "correlated", "ref"} {
		for _, res := range r.group(group) {
			p := &res.Problem
			if group != "ref" {
				name := fmt.Sprintf("%s: n = %d, d = %d, κ = %g", group, p.N, p.D, p.Source.Kappa)
				if p.Source.Rho != 0 {
					name += fmt.Sprintf(", ρ = %g", p.Source.Rho)
				}
				add(name, res)
			} else {
				add("ref: "+p.Source.Dataset, res)
			}
		}
		for _, res := range r.group(group) {
			add("**all of "+group+"**", res)
		}
	}
	if len(order) == 0 {
		return
	}
	b.WriteString("\n### Summary\n\n| cells | number | within 5 passes | passes, median (most) | ≥ 10 × scipy | both | " +
		"slower | scipy ÷ ours, median (least–most) | on one thread each, median (slower) " +
		"|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, name := range order {
		of[name].row(b)
	}
}

// summarisePeers writes a summary of the peers other than scipy by group.
func (r *report) summarisePeers(b *strings.Builder) {
	var rows []string
	for _, peer := range others {
		for _, group := range groups {
			cells, arrived, far := 0, 0, 0
			var ran []bounded
			for _, res := range r.group(group) {
				s := res.seriesOf(peer)
				if s == nil {
					continue
				}
				cells++
				if s.isSolved() && s.Gap >= 0 {
					arrived++
				}
				if s.Gap >= 0 {
					v := bounded{s.boundPrefix(), res.ratio(s)}
					ran = append(ran, v)
					if v.ratio >= 50 {
						far++
					}
				}
			}
			if cells > 0 {
				rows = append(rows, fmt.Sprintf("| %s: %s | %d | %d | %d | %s |\n", peer, group, cells, arrived, far,
					medianAndRange(ran)))
			}
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n### Other peers\n\n| | problems | arrived | ≥ 50 × ours | ÷ ours, median (least–most) " +
			"|\n|---|--:|--:|--:|--:|\n" + strings.Join(rows, ""))
	}
}

// A bounded is a ratio that is exact, or a lower bound if the solver was stopped.
type bounded struct {
	atLeast string // "> " if the ratio is a lower bound
	ratio   float64
}

func (v bounded) String() string { return v.atLeast + ratio(v.ratio) }

// medianAndRange returns the median, the minimum and the maximum of the ratios. The median is marked as a lower
// bound if some ratio up to it is one.
func medianAndRange(of []bounded) string {
	if len(of) == 0 {
		return "–"
	}
	slices.SortFunc(of, func(a, b bounded) int { return cmp.Compare(a.ratio, b.ratio) })
	middle, values := bounded{}, []float64{}
	for k, v := range of {
		values = append(values, v.ratio)
		if k <= len(of)/2 && v.atLeast != "" {
			middle.atLeast = v.atLeast
		}
	}
	middle.ratio = median(values)
	return fmt.Sprintf("%v (%v–%v)", middle, of[0], of[len(of)-1])
}

// median returns the median of v, or 0 if v is empty.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
