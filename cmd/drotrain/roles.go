package main

import (
	"slices"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// A role is an option that names columns. A column cannot also have one of the roles in not.
type role struct {
	option  string
	columns []string
	not     []string
}

// checkRoles returns an error if a column is named twice in a role, or in two roles that exclude each other.
func checkRoles(roles ...role) error {
	for _, r := range roles {
		for k, c := range r.columns {
			if slices.Contains(r.columns[:k], c) {
				return exit.Usagef("", "--%s names the column %q twice", r.option, c)
			}
			for _, other := range roles {
				if slices.Contains(r.not, other.option) && slices.Contains(other.columns, c) {
					return exit.Usagef("name the column in only one of them", "the column %q is named by both --%s and --%s", c,
						r.option,
						other.option)
				}
			}
		}
	}
	return nil
}
