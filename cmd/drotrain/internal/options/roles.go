package options

import "github.com/drotrain/drotrain/cmd/drotrain/internal/exit"

// A Role is an option that names columns, and the other roles that none of them
// may have.
type Role struct {
	name    string
	columns []string
	not     []string
}

// Columns returns the role of an option that names columns; none of them may have one of
// the roles in not.
func Columns(name string, columns []string, not ...string) Role { return Role{name, columns, not} }

// CheckRoles refuses a column that is named twice in a role, or in two roles
// that exclude each other.
func CheckRoles(roles ...Role) error {
	for _, r := range roles {
		seen := map[string]bool{}
		for _, c := range r.columns {
			if seen[c] {
				return exit.Usagef("", "--%s names the column %q twice", r.name, c)
			}
			seen[c] = true
		}
		for _, other := range roles {
			for _, not := range r.not {
				if other.name != not {
					continue
				}
				for _, c := range other.columns {
					if seen[c] {
						return exit.Usagef("leave it out of one of them", "the column %q is named by --%s and by --%s", c, r.name, not)
					}
				}
			}
		}
	}
	return nil
}
