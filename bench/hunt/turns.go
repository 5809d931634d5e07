package hunt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// auto is the name of the method chosen among what methods took.
const auto = "auto"

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
func (t *Tally) Turns(limit float64) (lines []string) {
	tell := func(what string, of ...string) {
		problems, count := t.behind(of, limit)
		lines = append(lines, fmt.Sprintf("%4d of %5d problems behind the best: %s", count, problems, what))
	}
	tell(auto, auto)
	others := t.others()
	for _, name := range others {
		tell(name, name)
	}
	for count := 2; count <= 3; count++ {
		if best := t.bestInTurns(others, count, limit); best != nil {
			tell(fmt.Sprintf("%s in turns, the best of all %d that are for a third of the problems", strings.Join(best, ","), count), best...)
		}
	}
	alone, some := t.ahead(limit)
	return append(lines, fmt.Sprintf("%4d of these %d are behind one method alone", alone, some))
}

// others are the methods besides the chosen one, in the order of their names.
func (t *Tally) others() (names []string) {
	for _, took := range t.Took {
		for name := range took {
			if name != auto && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// behind counts the problems that all of these methods are for, and those of them on which they
// are, in turns, behind the best of all.
func (t *Tally) behind(of []string, limit float64) (problems, count int) {
	for _, took := range t.Took {
		best, mine, had := math.Inf(1), math.Inf(1), limit
		members := 0
		for name, passes := range took {
			if passes <= limit {
				best = min(best, passes)
			}
			if slices.Contains(of, name) {
				members++
				mine = min(mine, passes)
			}
			if name == auto && slices.Contains(of, auto) {
				had = max(few, times*limit)
			}
		}
		if members < len(of) {
			continue
		}
		problems++
		if math.IsInf(mine, 1) {
			mine = had * (1 + 1e-9) // at least
		}
		if tooSlow(float64(len(of))*mine, best) {
			count++
		}
	}
	return problems, count
}

// bestInTurns are so many of the methods that are behind on the least share of the problems, of
// those that are for a third of them; nil where there are none.
func (t *Tally) bestInTurns(methods []string, count int, limit float64) (best []string) {
	least := 1.0
	subsets(methods, count, nil, func(of []string) {
		problems, behind := t.behind(of, limit)
		if share := float64(behind) / float64(problems); 3*problems > len(t.Took) && share < least {
			least, best = share, slices.Clone(of)
		}
	})
	return best
}

// ahead counts the problems on which some method is ahead of the chosen one, and on which one is alone.
func (t *Tally) ahead(limit float64) (alone, some int) {
	for _, took := range t.Took {
		mine, ok := took[auto]
		ahead := 0
		for name, passes := range took {
			if name != auto && passes <= limit && (!ok || tooSlow(mine, passes)) {
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
	return alone, some
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
