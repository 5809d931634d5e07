package propose

import (
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/table"
)

// Bounds of what a proposal says of levels and groups.
const (
	mostGroupLevels = 100 // of a column that is proposed as groups
	groupRows       = 20  // of two of its levels, at least
	pureRows        = 20  // of a level whose rows have nearly always one class, at least
	pureShare       = 0.9 // of that class among them, at least
	elsewhereShare  = 0.3 // of that class among the other rows, at most
)

// groupWords lists words in the names of columns that usually define groups.
var groupWords = map[string]bool{"sex": true, "gender": true, "race": true, "ethnicity": true, "ethnic": true, "afam": true, "nationality": true,
	"region": true, "state": true, "country": true, "county": true, "province": true, "district": true, "site": true, "hospital": true, "clinic": true,
	"school": true, "branch": true, "location": true, "language": true, "dialect": true, "religion": true}

// weightWords lists words in the names of weight columns.
var weightWords = map[string]bool{"weight": true, "weights": true, "wt": true, "wgt": true, "pweight": true, "fnlwgt": true, "perwt": true, "finalweight": true}

// hasWord reports whether a name contains one of the words.
func hasWord(name string, in map[string]bool) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return in[w] })
}

// levelCounts returns the number of rows of every level of a column, or nil if it has more than most levels.
func levelCounts(c *data.Column, most int) map[string]int {
	counts := map[string]int{}
	for r := range c.Len() {
		if c.IsNull(r) {
			continue
		}
		if counts[c.Text(r)]++; len(counts) > most {
			return nil
		}
	}
	return counts
}

// checkLevels finds levels with several spellings, and a level that nearly determines the target.
func (p *Proposal) checkLevels(c *data.Column, t *targetValues, sum summary) {
	if c.Kind == data.Categorical {
		if same, rows := findOtherSpellings(levelCounts(c, data.DefaultMaxLevels)); same != nil {
			p.addFinding(c, rows, 0, "kept apart", "some levels are other spellings of one, as %s", firstPair(same))
			p.Findings[len(p.Findings)-1].Spellings = same
		}
	}
	if s := p.describePurestLevel(c, t, sum); s != "" {
		p.addFinding(c, 0, 0, "kept; leave it out if it is known only after the target", "%s", s)
	}
}

// firstPair returns the first pair of spellings as text.
func firstPair(same map[string]string) string {
	first := ""
	for from := range same {
		if first == "" || from < first {
			first = from
		}
	}
	return fmt.Sprintf("%q and %q", same[first], first)
}

// describePurestLevel returns a sentence about a level whose rows nearly all have the same class, which is rare
// among other rows, or "".
func (p *Proposal) describePurestLevel(c *data.Column, t *targetValues, sum summary) string {
	if p.Task != data.Binary || sum.distinct < 2 || sum.distinct > table.FewNumbers || c.Kind == data.Numeric && sum.distinct > 2 {
		return ""
	}
	level, class, n, share, rest := purestLevel(c, t)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("of the %d rows with %q looked at, %.0f %% have the target %q, and %.0f %% of the others", n, level, 100*share, class, 100*rest)
}

// purestLevel returns the level with the largest proportion of a class that is rare elsewhere, the number of
// its rows, and the proportions of the class there and elsewhere. rows is 0 if there is none.
func purestLevel(c *data.Column, t *targetValues) (level, class string, rows int, share, rest float64) {
	n, ones := map[string]float64{}, map[string]float64{}
	all, allOnes := 0.0, 0.0
	for i, r := range t.rows {
		all, allOnes = all+1, allOnes+t.y[i]
		if !c.IsNull(r) {
			n[c.Text(r)]++
			ones[c.Text(r)] += t.y[i]
		}
	}
	levels := make([]string, 0, len(n))
	for l := range n {
		levels = append(levels, l)
	}
	slices.Sort(levels)
	for _, l := range levels {
		in, out, of := ones[l]/n[l], (allOnes-ones[l])/max(1, all-n[l]), t.one
		if in < 0.5 {
			in, out, of = 1-in, 1-out, t.other
		}
		if n[l] >= pureRows && in >= pureShare && out <= elsewhereShare && all > n[l] && in > share {
			level, class, rows, share, rest = l, of, int(n[l]), in, out
		}
	}
	return level, class, rows, share, rest
}

// checkWeight adds a question if a column of positive numbers may hold row weights.
func (p *Proposal) checkWeight(c *data.Column, sum summary) {
	if c.Kind == data.Numeric && sum.nulls == 0 && sum.infinite == 0 && sum.least > 0 && hasWord(c.Name, weightWords) {
		p.addFinding(c, 0, 0, "kept as a feature; name it as the weight if it says how many cases a row stands for", "its name is that of a weight of the rows")
		p.Findings[len(p.Findings)-1].Weight = true
	}
}

// checkGroup finds rows without a group in the columns named by the user, and columns whose names suggest
// groups.
func (p *Proposal) checkGroup(c *data.Column, sum summary) {
	named := slices.Contains(p.named, c.Name)
	if !named && (!hasWord(c.Name, groupWords) || c.Kind == data.Other || c.Clock || sum.distinct < 2 || slices.Contains(p.Drop, c.Name)) {
		return
	}
	if !named {
		large := 0
		for _, n := range levelCounts(c, mostGroupLevels) {
			if n >= groupRows {
				large++
			}
		}
		if large < 2 {
			return
		}
		p.Groups = append(p.Groups, c.Name)
	}
	if sum.nulls > 0 && (named || c.Kind == data.Categorical) {
		p.addFinding(c, sum.nulls, sum.firstNull, "kept; as a group column they would be the group "+data.MissingLabel, "it has no value")
	}
}

// dropIdentifier drops an identifier. If rows share its values, it proposes to hold them out together.
func (p *Proposal) dropIdentifier(c *data.Column, sum summary, format string, args ...any) {
	p.dropColumn(c, 0, 0, format, args...)
	if p.GroupHoldout == "" && sum.nulls == 0 && sum.distinct < c.Len() && isIDName(c.Name) {
		p.GroupHoldout = c.Name
		p.Findings[len(p.Findings)-1].Does = "left out; rows that share a value are held out together"
	}
}
