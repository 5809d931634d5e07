package printable

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Nearest returns at most most of the names in among that are similar to name, the most similar first. Letter case,
// spaces, '-' and '_' are ignored. Two names are similar if their edit distance (insertions, deletions, substitutions
// and swaps of adjacent letters) is at most a third of the longer length, or is 1 and the names have more than three
// letters together. They are also similar if one has at least three letters and is contained in the other. The result
// is nil if no name is similar.
func Nearest(name string, among []string, most int) []string {
	want := foldShort(name)
	found := map[string]int{} // distance of every name that was found
	for _, a := range among {
		have := foldShort(a)
		limit := max(len(want), len(have)) / 3
		if limit == 0 && len(want)+len(have) > 3 {
			limit = 1
		}
		d := distance(want, have)
		w, h := string(want), string(have)
		if d <= limit || min(len(w), len(h)) >= 3 && (strings.Contains(h, w) || strings.Contains(w, h)) {
			found[a] = d
		}
	}
	near := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[a], found[b]), cmp.Compare(a, b))
	})
	return near[:min(most, len(near))]
}

// separators removes the characters that separate the words of a name.
var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// Fold returns a name in lower case, without spaces, '-' and '_'.
func Fold(name string) string { return separators.Replace(strings.ToLower(name)) }

// foldShort returns at most 200 characters of the folded name.
func foldShort(name string) []rune {
	r := []rune(Fold(name))
	return r[:min(200, len(r))]
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
