package check

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
)

const (
	maxSpelled = 1000 // maximum number of levels of a column whose spellings are compared
	maxEdited  = 200  // maximum number of levels of a column that are compared letter by letter
	editedFrom = 5    // minimum length in letters of a label that may contain one wrong letter

	handful      = 20   // rows; a class with fewer rows may be a mistake
	handfulShare = 0.01 // of the rows, likewise
)

// foldSpelling returns a label in lower case, without spaces, hyphens between words, accents of Latin letters and a
// final full stop, in a normal form of Unicode.
func foldSpelling(label string) string {
	var b strings.Builder
	latin := false // the last letter
	for _, r := range norm.NFKD.String(label) {
		switch {
		case unicode.Is(unicode.Mn, r) && latin, printable.IsHidden(r) && !unicode.IsSpace(r):
			continue
		case unicode.IsLetter(r):
			latin = unicode.Is(unicode.Latin, r)
		}
		b.WriteRune(r)
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		words[i] = hyphen.ReplaceAllString(w, "$1 $2")
	}
	return strings.ToLower(strings.TrimRight(norm.NFC.String(strings.Join(words, " ")), ". "))
}

// hyphen matches a hyphen or an underscore between letters, but not the sign of a number or of a grade.
var hyphen = regexp.MustCompile(`(\p{L})[-_‐](\p{L})`)

// OtherSpellings returns the labels that are different spellings of a more frequent label, each with the frequent
// label. counts holds the number of rows of each label.
func OtherSpellings(counts map[string]int) map[string]string {
	usual := map[string]string{}
	for label, n := range counts {
		key := foldSpelling(label)
		if u, ok := usual[key]; !ok || n > counts[u] || n == counts[u] && label < u {
			usual[key] = label
		}
	}
	same := map[string]string{}
	for label := range counts {
		if u := usual[foldSpelling(label)]; u != label {
			same[label] = u
		}
	}
	return same
}

// misspellings returns rare labels that differ from a frequent label in one letter, each with the frequent label.
func misspellings(counts map[string]int, rows int) map[string]string {
	wrong := map[string]string{}
	if len(counts) > maxEdited {
		return wrong
	}
	labels := slices.Sorted(maps.Keys(counts))
	for _, rare := range labels {
		if 100*counts[rare] > rows || strings.ContainsFunc(rare, unicode.IsDigit) || len([]rune(rare)) < editedFrom {
			continue
		}
		for _, often := range labels {
			if counts[often] >= 20*counts[rare] && foldSpelling(often) != foldSpelling(rare) &&
				!strings.ContainsFunc(often, unicode.IsDigit) &&
				isOneEdit([]rune(foldSpelling(rare)), []rune(foldSpelling(often))) {
				wrong[rare] = often
				break
			}
		}
	}
	return wrong
}

// isOneEdit reports whether one text becomes the other if one letter is inserted, deleted or replaced, or two
// adjacent letters are exchanged.
func isOneEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		if i == len(a) {
			return false
		}
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
		return swapped || slices.Equal(a[i+1:], b[i+1:])
	case 1:
		return slices.Equal(a[i:], b[i+1:])
	}
	return false
}

// checkSpellings finds labels in a column of text that are different spellings of the same label.
func checkSpellings(c *column, role string) (all []Finding) {
	if c.Kind != data.Categorical || len(c.values) < 2 || len(c.values) > maxSpelled {
		return nil
	}
	counts := map[string]int{}
	first := map[string]int{}
	for _, v := range c.values {
		counts[c.text(v)], first[c.text(v)] = int(v.rows), int(v.first)
	}
	same := OtherSpellings(counts)
	what := "spellings of one label"
	if len(same) == 0 {
		if same = misspellings(counts, c.countValues()); len(same) == 0 {
			return nil
		}
		what = "labels that differ in one letter, one of which is rare"
	}
	names := slices.SortedFunc(maps.Keys(same), func(a,
		b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	rows, at := 0, math.MaxInt
	for _, l := range names {
		rows, at = rows+counts[l], min(at, first[l])
	}
	effect := fmt.Sprintf("each of the %d labels is a separate level", len(counts))
	switch {
	case role == "the target":
		effect = fmt.Sprintf("this makes %d classes instead of %d", len(counts), len(counts)-len(same))
	case role == "a group column":
		effect = fmt.Sprintf("this makes %d groups instead of %d", len(counts), len(counts)-len(same))
	}
	severity := Warning
	if role == "" {
		severity = Note
	}
	return []Finding{{What: Spellings, Column: c.Name, Rows: rows, First: c.row(at), Severity: severity,
		Evidence: fmt.Sprintf("%q and %q look like %s: %s", same[names[0]], names[0], what, effect),
		Renames:  same, Proposal: "rename the variants to one label"}}
}

// checkClasses finds classes with few rows in a target of more than two classes. If such a class is a mistake, the
// task should have been binary.
func checkClasses(c *column, roles *Roles) []Finding {
	if c.Kind == data.Numeric && roles.Task != encode.Multiclass || len(c.values) < 3 {
		return nil
	}
	var rare, others []string
	rows, first := 0, math.MaxInt
	for _, v := range c.values {
		label := strconv.FormatFloat(v.value, 'g', -1, 64)
		if c.Kind == data.Categorical {
			label = c.text(v)
		}
		if v.rows < handful && float64(v.rows) < handfulShare*float64(c.countValues()) {
			rare, rows, first = append(rare, strconv.Quote(label)), rows+int(v.rows), min(first, int(v.first))
		} else {
			others = append(others, strconv.Quote(label))
		}
	}
	if len(rare) == 0 || len(others) < 2 {
		return nil
	}
	effect := fmt.Sprintf("the model has %d classes", len(c.values))
	if len(others) == 2 {
		effect = fmt.Sprintf("without %s the target has the two classes %s; with %s it has %d classes",
			printable.Noun(len(rare), "it", "them"), printable.JoinWords(others, "and"), printable.Noun(len(rare), "it", "them"),
			len(c.values))
	}
	shown := rare[:min(3, len(rare))]
	if n := len(rare) - len(shown); n > 0 {
		shown = append(slices.Clone(shown), fmt.Sprintf("%d more", n))
	}
	return []Finding{{What: RareClass, Column: c.Name, Rows: rows, First: c.row(first), Severity: Warning,
		Evidence: fmt.Sprintf("%s %s only %d of %d rows: %s", printable.Noun(len(rare), "the class", "the classes"),
			printable.JoinWords(shown, "and")+printable.Noun(len(rare), " has", " have"), rows, c.countValues(), effect),
		Proposal: "correct the label by renaming it, or leave its rows out"}}
}

// checkHeaders finds rows in which at least two columns hold their own names, or the only column of a table does
// so. effect describes the consequence.
func checkHeaders(columns []*column, only bool, effect string) []Finding {
	rows := map[int]int{} // for each row, the number of columns that hold their own names
	least := 2
	if only {
		least = 1
	}
	for _, c := range columns {
		if c.Kind != data.Categorical {
			continue
		}
		for k, v := range c.values {
			if c.text(v) != c.Name {
				continue
			}
			for i, at := range c.index {
				if at == int32(k) {
					rows[i]++
				}
			}
		}
	}
	n, first := 0, math.MaxInt
	for i, k := range rows {
		if k >= least {
			n, first = n+1, min(first, i)
		}
	}
	if n == 0 {
		return nil
	}
	return []Finding{{What: HeaderRows, Rows: n, First: columns[0].row(first), Severity: Warning,
		Evidence: "the header line occurs again among the rows, as when files are joined" +
			effect, Proposal: "remove these lines from the file"}}
}
