package printable

import (
	"sort"
	"strings"
)

// Nearest returns at most max of the names in among that look like name, the
// closest first. Letter case, spaces, '-' and '_' count for nothing; beyond
// that a name is close when its edit distance (insertions, deletions,
// substitutions and swaps of neighbours) is at most a third of the longer
// length, and one edit is forgiven unless both names are but a letter or two.
// A name of three letters or more that the other holds is close too. The result is nil if nothing is close.
func Nearest(name string, among []string, max int) []string {
	type candidate struct {
		name string
		dist int
	}
	want := foldCase(name)
	var found []candidate
	seen := make(map[string]bool)
	for _, a := range among {
		if seen[a] {
			continue
		}
		seen[a] = true
		have := foldCase(a)
		limit := len(want)
		if len(have) > limit {
			limit = len(have)
		}
		if limit = limit / 3; limit == 0 && len(want)+len(have) > 3 {
			limit = 1
		}
		d := distance(want, have)
		if d > limit {
			w, h := string(want), string(have)
			if len(w) < 3 || len(h) < 3 || !(strings.Contains(h, w) || strings.Contains(w, h)) {
				continue
			}
		}
		found = append(found, candidate{a, d})
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].dist != found[j].dist {
			return found[i].dist < found[j].dist
		}
		return found[i].name < found[j].name
	})
	if len(found) > max {
		found = found[:max]
	}
	var out []string
	for _, c := range found {
		out = append(out, c.name)
	}
	return out
}

func foldCase(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range strings.ToLower(s) {
		if r == ' ' || r == '-' || r == '_' {
			continue
		}
		if out = append(out, r); len(out) == 200 {
			break
		}
	}
	return out
}

// distance returns the optimal string alignment distance.
func distance(a, b []rune) int {
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return last[len(b)]
}
