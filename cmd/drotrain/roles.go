package main

import "github.com/drotrain/drotrain/cmd/drotrain/internal/exit"

// A role is an option that names columns. A column cannot also have one of the roles in not.
type role struct {
	option  string
	columns []string
	not     []string
}

// checkRoles returns an error if a column is named twice in a role, or in two roles that exclude each other.
func checkRoles(roles ...role) error {
	for _, r := range roles {
		seen := map[string]bool{}
		for _, c := range r.columns {
			if seen[c] {
				return exit.Usagef("", "--%s names the column %q twice", r.option, c)
			}
			seen[c] = true
		}
		for _, other := range roles {
			for _, not := range r.not {
				if other.option != not {
					continue
				}
				for _, c := range other.columns {
					if seen[c] {
						return exit.Usagef("leave it out of one of them", "the column %q is named by --%s and by --%s", c, r.option, not)
					}
				}
			}
		}
	}
	return nil
}
