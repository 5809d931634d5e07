package intake

import (
	"fmt"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// FewNumbers is the maximum number of different whole numbers in a target for which the user may have meant
// classes.
const FewNumbers = 20

// CheckWanted returns the set of the given names, or nil if names is nil. It returns an error if a name is not
// among those that exist.
func CheckWanted(names, among []string) (map[string]bool, error) {
	if names == nil {
		return nil, nil
	}
	have := make(map[string]bool, len(among))
	for _, a := range among {
		have[a] = true
	}
	want := make(map[string]bool, len(names))
	for _, n := range names {
		if !have[n] {
			return nil, NoColumnError("", n, among)
		}
		want[n] = true
	}
	return want, nil
}

// MakeUnique returns unique names, in the way of pandas: the second "x" becomes "x.1". The fifth column becomes
// "column_5" if it has no name. notes describes the changes.
func MakeUnique(names []string) (own []string, notes []string) {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[n] = true
	}
	if len(taken) == len(names) && !taken[""] {
		return names, nil
	}
	own = make([]string, len(names))
	seen := make(map[string]int, len(names))
	for i, n := range names {
		own[i] = n
		if n == "" {
			for own[i] = fmt.Sprintf("column_%d", i+1); taken[own[i]]; own[i] += "_" {
			}
			taken[own[i]] = true
			notes = append(notes, fmt.Sprintf("column %d has no name and is called %q", i+1, own[i]))
			continue
		}
		if k := seen[n]; k > 0 {
			for own[i] = fmt.Sprintf("%s.%d", n, k); taken[own[i]]; k++ {
				own[i] = fmt.Sprintf("%s.%d", n, k+1)
			}
			taken[own[i]] = true
			notes = append(notes, fmt.Sprintf("column %d has the same name as an earlier column, %q, and is renamed to %q", i+1,
				n,
				own[i]))
		}
		seen[n]++
	}
	return own, notes
}

// NoColumnError returns an error that says that a column does not exist and suggests similar names.
func NoColumnError(path, name string, among []string) *table.Error {
	e := &table.Error{Path: path, Column: name, Msg: fmt.Sprintf("there is no column %q", name), Class: table.ErrNoColumn}
	if near := printable.Nearest(name, among, 3); len(near) > 0 {
		e.Hint = "did you mean " + printable.QuoteList(near, "or") + "?"
	} else {
		e.Hint = "columns: " + printable.QuoteFirst(among, 20)
	}
	return e
}
