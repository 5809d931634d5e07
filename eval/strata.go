package eval

import "github.com/drotrain/drotrain/data"

// strataOf returns the non-empty groups of g, or all rows as one.
func strataOf(in *Input, g *data.Grouping) [][]int32 {
	if g == nil {
		all := make([]int32, len(in.Target))
		for i := range all {
			all[i] = int32(i)
		}
		return [][]int32{all}
	}
	var out [][]int32
	for _, r := range rowsByGroup(*g) {
		if len(r) > 0 {
			out = append(out, r)
		}
	}
	return out
}
