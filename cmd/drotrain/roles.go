package main

// A role is an option that names columns, and the other roles that none of them
// may have.
type role struct {
	name    string
	columns []string
	not     []string
}

// checkRoles refuses a column that is named twice in a role, or in two roles
// that exclude each other.
func checkRoles(roles ...role) error {
	for _, r := range roles {
		seen := map[string]bool{}
		for _, c := range r.columns {
			if seen[c] {
				return usagef("", "--%s names the column %q twice", r.name, c)
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
						return usagef("leave it out of one of them", "the column %q is named by --%s and by --%s", c, r.name, not)
					}
				}
			}
		}
	}
	return nil
}
