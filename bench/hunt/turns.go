package hunt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// took notes the passes that methods took to a certificate, +Inf without one.
func (t *Tally) took(all []bounds, names []string) {
	took := map[string]float64{}
	for i, b := range all {
		if b.warm || b.status == dro.Cancelled {
			continue
		}
		if took[names[i]] = math.Inf(1); b.status == dro.Certified {
			took[names[i]] = b.passes
		}
	}
	t.Took = append(t.Took, took)
}

// Turns tells on how many problems every method is behind the best of all by the rule for the
// chosen one, of the problems that it is for; and the best two and three in turns, of those that all
// of them are for, that go on for as many passes each, from where they began. limit is the passes that a method had, the chosen
// one but for what the rule allows it: what took more is counted where it is behind anyway.
func (t *Tally) Turns(limit float64) []string {
	var names []string
	for _, took := range t.Took {
		for name := range took {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	chosen := func(name string) bool { return strings.HasPrefix(name, " 0 ") }
	behind := func(of []string, needed int) (problems, count int) {
		for _, took := range t.Took {
			best, mine, members, all := math.Inf(1), math.Inf(1), 0, limit
			for name, passes := range took {
				if slices.Contains(of, name) {
					members++
					if mine = min(mine, passes); chosen(name) {
						all = max(few, times*limit)
					}
				}
				if passes <= limit {
					best = min(best, passes)
				}
			}
			if members < needed {
				continue
			}
			problems++
			if math.IsInf(mine, 1) {
				mine = all * (1 + 1e-9) // at least
			}
			if !math.IsInf(best, 1) && float64(members)*mine > max(few, times*best) {
				count++
			}
		}
		return problems, count
	}
	var lines []string
	tell := func(what string, of []string, needed int) {
		problems, count := behind(of, needed)
		lines = append(lines, fmt.Sprintf("%4d of %5d problems behind the best: %s", count, problems, what))
	}
	var auto, others []string
	for _, name := range names {
		if chosen(name) {
			auto = append(auto, name)
		} else {
			others = append(others, name)
		}
	}
	tell("auto", auto, 1)
	for _, name := range others {
		tell(name, []string{name}, 1)
	}
	for count := 2; count <= 3; count++ {
		least, best := 1.0, []string(nil)
		subsets(others, count, nil, func(of []string) {
			problems, behind := behind(of, count)
			if share := float64(behind) / float64(problems); 3*problems > len(t.Took) && share < least {
				least, best = share, slices.Clone(of)
			}
		})
		if best != nil {
			tell(strings.Join(best, ",")+" in turns, the best of all "+fmt.Sprint(count)+" that are for a third of the problems", best, count)
		}
	}
	alone, some := 0, 0
	for _, took := range t.Took {
		mine, ahead := math.Inf(1), 0
		for name, passes := range took {
			if chosen(name) {
				mine = passes
			}
		}
		for name, passes := range took {
			if !chosen(name) && passes <= limit && mine > max(few, times*passes) {
				ahead++
			}
		}
		if ahead > 0 {
			some++
		}
		if ahead == 1 {
			alone++
		}
	}
	return append(lines, fmt.Sprintf("%4d of these %d are behind one method alone", alone, some))
}

// subsets calls then with every choice of so many of the names after those taken.
func subsets(names []string, count int, taken []string, then func([]string)) {
	if count == 0 {
		then(taken)
		return
	}
	for k, name := range names {
		subsets(names[k+1:], count-1, append(taken, name), then)
	}
}
