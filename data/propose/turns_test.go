package propose

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// generated is a table of text by its cells.
func generated(names string, rows int, cell func(row, column int) any) string {
	var b strings.Builder
	b.WriteString(names + "\n")
	width := strings.Count(names, ",") + 1
	for r := range rows {
		for c := range width {
			if c > 0 {
				b.WriteByte(',')
			}
			if v := cell(r, c); v != nil {
				fmt.Fprint(&b, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// told is all that is proposed for a table of text.
func told(t *testing.T, csv, target string) string {
	f, err := data.OpenAs(t.Context(), write(t, csv), data.Reading{Dates: "number"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Make(t.Context(), f, target, data.Reading{})
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return what
	}
	if p.Reading.Dates != "" {
		p.Filter += " dates " + p.Reading.Dates
	}
	var out []string
	for _, x := range p.Findings {
		out = append(out, fmt.Sprintf("%s (%d, %d): %s: %s", x.Column, x.Rows, x.First, x.What, x.Does))
	}
	if p.Impute != "" || p.Filter != "" || p.MinCount != 0 || len(p.Drop) > 0 {
		out = append(out, fmt.Sprintf("drop %q, impute %q, filter %q, min count %d", p.Drop, p.Impute, p.Filter, p.MinCount))
	}
	return strings.Join(out, "; ")
}

// wide are the names of so many columns.
func wide(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("w", i)
	}
	return strings.Join(names, ",")
}

// scattered is a permutation of the numbers below n, which neither rises nor falls.
func scattered(k, n int) int { return k * 37 % n }

// Every number from which another thing is proposed: rows, values, shares and how well a
// column tells the target, one by one over the ends.
func TestProposalsTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	turns := func(what string, first, last int, names, target string, rows func(k int) int, cell func(k, row, column int) any) {
		out.WriteString(goldentest.Turns(what, first, last, func(k int) string {
			return told(t, generated(names, rows(k), func(r, c int) any { return cell(k, r, c) }), target)
		}))
	}
	k0 := func(k int) int { return k }
	always := func(n int) func(int) int { return func(int) int { return n } }
	coin := func(r int) int { return r / 2 % 2 }

	turns("rows whose texts all differ", 18, 23, "v,y", "y", k0, func(k, r, c int) any {
		return []any{fmt.Sprint("t", scattered(r, k)), coin(r)}[c]
	})
	turns("rows counted by a number", 98, 103, "v,y", "y", k0, func(k, r, c int) any { return []any{7 * r, coin(r)}[c] })
	turns("rows counted downwards by a number", 98, 103, "v,y", "y", k0, func(k, r, c int) any { return []any{-7 * r, coin(r)}[c] })
	turns("rows of a named number", 18, 23, "user_id,y", "y", k0, func(k, r, c int) any { return []any{1000 * ((r * r) % 997), coin(r)}[c] })
	turns("the largest of 120 different numbers in no order, of which the others are below 240", 352, 366, "v,y", "y", always(120), func(k, r, c int) any {
		v := 2 * (r * 37 % 120)
		if v == 238 {
			v = k
		}
		return []any{v, coin(r)}[c]
	})
	turns("different texts of 110 rows", 53, 58, "v,y", "y", always(110), func(k, r, c int) any { return []any{fmt.Sprint("t", r%k), coin(r)}[c] })
	turns("different texts of 102 rows", 48, 54, "v,y", "y", always(102), func(k, r, c int) any { return []any{fmt.Sprint("t", r%k), coin(r)}[c] })
	turns("different texts of 98 rows", 49, 52, "v,y", "y", always(98), func(k, r, c int) any { return []any{fmt.Sprint("t", r%k), coin(r)}[c] })
	turns("nines of the least number, below 0", 1, 6, "v,y", "y", always(60), func(k, r, c int) any {
		if c == 0 && r%7 == 2 {
			return 1 - int(math.Pow10(k))
		}
		return []any{r % 5, coin(r)}[c]
	})
	turns("different numbers of a case of 40 rows", 17, 23, "case_no,y", "y", always(40), func(k, r, c int) any { return []any{r % k, coin(r)}[c] })
	turns("rows of a case with each number twice", 18, 24, "case_no,y", "y", k0, func(k, r, c int) any { return []any{r / 2, coin(r)}[c] })
	turns("missing numbers of 100", 58, 62, "v,y", "y", always(100), func(k, r, c int) any {
		if c == 0 && r*37%100 < k {
			return nil
		}
		return []any{r * r % 13, coin(r)}[c]
	})
	turns("levels of 1003 rows and of 3 more a level", 999, 1003, "v,y", "y", func(k int) int { return 4 * k }, func(k, r, c int) any { return []any{fmt.Sprint("t", r%k), coin(r)}[c] })
	turns("the least number, below 0", -12, 0, "v,y", "y", always(60), func(k, r, c int) any {
		if c == 0 && r%7 == 2 {
			return k
		}
		return []any{r % 5, coin(r)}[c]
	})
	turns("different numbers beside −99", 0, 4, "v,y", "y", always(60), func(k, r, c int) any {
		if c == 0 && (r%7 == 2 || k == 0) {
			return -99
		}
		return []any{r % max(1, k), coin(r)}[c]
	})
	turns("numbers that are not finite, of 30", 27, 30, "v,y", "y", always(30), func(k, r, c int) any {
		if c == 0 && r < k {
			return "inf"
		}
		return []any{float64(r%4) + .5, coin(r)}[c]
	})
	turns("infinite numbers beside one, of 30", 0, 3, "v,y", "y", always(30), func(k, r, c int) any {
		if c == 0 && r < k {
			return "inf"
		}
		return []any{7, coin(r)}[c]
	})
	turns("rows of a copy of the target", 47, 53, "v,y", "y", k0, func(k, r, c int) any { return []any{float64(coin(r)) + float64(r%3)/10, coin(r)}[c] })
	turns("rows of the other class, of 100, below one row", 46, 54, "v,y", "y", always(200), func(k, r, c int) any {
		v := float64(r)
		if r == 99 {
			v += float64(k) + .5
		}
		return []any{v / 7, r / 100}[c]
	})
	turns("rows that differ from a copy of the target, of 100", 0, 12, "v,y", "y", always(100), func(k, r, c int) any {
		v := coin(r)
		if r < k {
			v = 1 - v
		}
		return []any{[]string{"no", "yes"}[v], coin(r)}[c]
	})
	turns("rows where what is missing differs from the target, of 300", 0, 40, "v,y", "y", always(300), func(k, r, c int) any {
		if c == 0 && (coin(r) == 1) != (r < k) {
			return nil
		}
		return []any{r % 7, coin(r)}[c]
	})
	turns("rows in which a column is there, all of one class", 97, 103, "v,y", "y", always(400), func(k, r, c int) any {
		if c == 0 && (coin(r) == 0 || r/4*2+r%2 >= k) {
			return nil
		}
		return []any{r * r % 11, coin(r)}[c]
	})
	turns("rows of the other class of 200 in which a column is there", 10, 30, "v,y", "y", always(400), func(k, r, c int) any {
		if c == 0 && r >= 200 {
			return nil
		}
		y := 0
		if r < k || r >= 240 {
			y = 1
		}
		return []any{r * r % 11, y}[c]
	})
	turns("rows of the more frequent class of 200 in which a column is missing, of the one where it is there", 35, 45, "v,y", "y", always(400), func(k, r, c int) any {
		if c == 0 && r >= 200 {
			return nil
		}
		y := 0
		if r < 200+k {
			y = 1
		}
		return []any{r * r % 11, y}[c]
	})
	turns("numbers that are there and tell the target, of 60", 17, 23, "v,y", "y", always(60), func(k, r, c int) any {
		if c == 0 && r*37%60 >= k {
			return nil
		}
		return []any{float64(coin(r)) + float64(r%9)/100, coin(r)}[c]
	})
	turns("how much of a name like the target's tells one of two classes", 0, 60, "gradebook,grade_y", "grade_y", always(100), func(k, r, c int) any {
		v := r * 37 % 100
		if r*7%100 < k {
			v = 100*coin(r) + v
		}
		return []any{float64(v) / 3, coin(r)}[c]
	})
	turns("how much of a name like the target's tells a quantity", 0, 60, "gradebook,grade_y", "grade_y", always(100), func(k, r, c int) any {
		v := r * 37 % 100
		if r*7%100 < k {
			v = r
		}
		return []any{float64(v) / 3, r}[c]
	})
	turns("rows of two parts of the target", 47, 53, "a,b,y", "y", k0, func(k, r, c int) any {
		a, b := r*r%31, r*7%29
		return []any{a, b, 2*a + b}[c]
	})
	turns("thousandths in which three parts and the target differ", 8, 20, "a,b,d,y", "y", always(100), func(k, r, c int) any {
		a, b, d := r*r%31, r*7%29, r*r*r%23
		return []any{a, b, d, float64(a+b+d) + float64(k*(r*13%11))/1000}[c]
	})
	turns("pairs of parts", 1, 8, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,y", "y", always(300), func(k, r, c int) any {
		x := func(c int) int { return (r + 3) * (c/2 + 5) * (r + c/2) % 101 }
		y := 0
		for i := range k {
			y += (i + 1) * x(2*i)
		}
		switch {
		case c == 16:
			return y
		case c%2 == 0:
			return x(c)
		}
		return 7*r%13 + c*r*r%17
	})
	turns("rows of two parts, of which every other one is their sum", 2000, 2001, "a,b,y", "y", k0, func(k, r, c int) any {
		a, b, y := r*r%31, r*7%29, r*r*r%43
		if r%2 == 0 {
			y = a + b
		}
		return []any{a, b, y}[c]
	})
	turns("hundred thousands added to one of two parts", 78, 85, "a,b,y", "y", always(60), func(k, r, c int) any {
		a, b := r*r%31, r*7%29
		return []any{a + 100_000*k, b, a + b}[c]
	})
	turns("millionths of the target in a part that is another but for that", 8, 12, "a,b,y", "y", always(60), func(k, r, c int) any {
		a, y := r*r%31, r*7%29
		return []any{a, 1_000_000*a + k*y, y}[c]
	})
	turns("columns that go more with the target than its two parts", 38, 39, wide(40)+",a,b,y", "y", always(120), func(k, r, c int) any {
		y, z := r*r%31, 40*(r*r*r%103)
		switch {
		case c < k:
			return 3*y + (r+7*c)*(r+c*c+3)*(c+11)%101
		case c < 40:
			return 1
		}
		return []any{z + y, -z, y}[c-40]
	})
	turns("values of a target of text", 1, 5, "v,y", "y", always(60), func(k, r, c int) any { return []any{r * r % 13, fmt.Sprint("c", r%k)}[c] })
	turns("spellings of a target", 0, 5, "v,y", "y", always(60), func(k, r, c int) any {
		y := "yes"
		if r%2 == 0 {
			y = "no"
		}
		if r < k {
			y = []string{"Yes", "NO", "no.", "yes.", "YES"}[r]
		}
		return []any{r * r % 13, y}[c]
	})
	turns("targets that are missing, of 60", 0, 3, "v,y", "y", always(60), func(k, r, c int) any {
		if c == 1 && r > 0 && r <= k {
			return nil
		}
		return []any{r * r % 13, coin(r)}[c]
	})
	day := func(n int) string { return fmt.Sprintf("2021-%02d-%02d", 1+n/28%12, 1+n%28) }
	turns("days after the first date", 5, 10, "opened,last,y", "y", always(400), func(k, r, c int) any {
		n := r % 20
		return []any{day(n), day(n + k*coin(r)), coin(r)}[c]
	})
	turns("rows later than the first date", 97, 103, "opened,last,y", "y", always(300), func(k, r, c int) any {
		n, late := r*37%250, 0
		if r < k {
			late = 1
		}
		return []any{day(n), day(n + 10*late), late}[c]
	})
	turns("rows not later than the first date", 97, 103, "opened,last,y", "y", always(300), func(k, r, c int) any {
		n, late := r*37%250, 1
		if r < k {
			late = 0
		}
		return []any{day(n), day(n + 10*late), late}[c]
	})
	turns("classes mixed among later rows, of 200", 90, 200, "opened,last,y", "y", always(400), func(k, r, c int) any {
		n, y := r*37%250, coin(r)
		if r < 2*k {
			y = r % 2
		}
		return []any{day(n), day(n + 10*coin(r)), y}[c]
	})
	turns("later rows of an event, of 100", 85, 95, "opened,last,event", "event", always(100), func(k, r, c int) any {
		n, late := r%20, 10+60*coin(r)
		if r >= k {
			late = 0
		}
		return []any{day(n), day(n + late), coin(r)}[c]
	})
	turns("missing dates of 100", 58, 62, "opened,y", "y", always(100), func(k, r, c int) any {
		if c == 0 && r*37%100 < k {
			return nil
		}
		return []any{day(r * 3), coin(r)}[c]
	})
	out.WriteString(goldentest.Turns("letters that a name and the target's begin with", 1, 6, func(k int) string { return alike("abcdef"[:k]+"xyz", "abcdefg") }))
	out.WriteString(goldentest.Turns("letters of a name that the target's begins with", 1, 6, func(k int) string { return alike("abcdef"[:k], "abcdefg") }))
	goldentest.Text(t, filepath.Join("testdata", "turns.txt"), out.String())
}

// How many rows are looked at, and from where on scores are too good.
func TestSuspectsTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	e := &data.Encoder{Target: data.Target{Task: data.Binary}}
	for _, width := range []int{1, 19, 20, 21, 399, 400, 401, 2000, 2001, 40_000} {
		e.Columns = make([]data.Coding, width)
		out.WriteString(goldentest.Turns(fmt.Sprintf("training rows looked at, %d columns", width), 198, 202, func(n int) string { return fmt.Sprint(SuspectRows(e, n)) }))
		fmt.Fprintln(&out, SuspectRows(e, 10_000_000), FlawlessRows(e, 10_000_000))
		out.WriteString(goldentest.Turns(fmt.Sprintf("hold-out rows looked at, %d columns", width), 48, 51, func(n int) string { return fmt.Sprint(FlawlessRows(e, n)) }))
	}
	score, target := make([]float64, 200), make([]float64, 200)
	out.WriteString(goldentest.Turns("scores of 100 above one of the other class", 45, 55, func(k int) string {
		for i := range score {
			if score[i], target[i] = float64(i), float64(i/100); i == 99 {
				score[i] += float64(k) + .5
			}
		}
		return fmt.Sprint(TooGood(e, score, target))
	}))
	goldentest.Text(t, filepath.Join("testdata", "suspects.txt"), out.String())
}

// What is said of columns that look like identifiers or tell too much, by their names and values, and
// of scores that are too good, by how many columns make them so.
func TestWarningsAreRecorded(t *testing.T) {
	var out strings.Builder
	fitted := func(csv string) *data.Fitted {
		f, err := data.Fit(t.Context(), tableOf(t, csv), nil, nil, data.Spec{Target: "y", Scale: "none", Intercept: true}, data.Float64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, name := range []string{"id", "user_id", "column_1", "column_2", "age", "serial", "case", "orderNum", "Id x"} {
		for _, classes := range []bool{true, false} {
			for k, value := range []func(r int) any{func(r int) any { return 7 * r * r % 1009 }, func(r int) any { return r * 37 % 60 / 2 }, func(r int) any { return float64(r*37%61) + .01 }, func(r int) any { return float64(r*37%61) + .0001 }} {
				for _, n := range []int{20, 21} {
					f := fitted(generated(name+",y,z", n, func(r, c int) any {
						y := r * r % 11
						if classes {
							y = r / 2 % 2
						}
						return []any{value(r), y, r % 2}[c]
					}))
					if said := Suspects(f.Encoder, f.Train); len(said) > 0 {
						fmt.Fprintf(&out, "%s, values %d, %d rows: %s\n", name, k, n, strings.Join(said, " "))
					}
				}
			}
		}
	}
	for _, classes := range []bool{true, false} {
		for k := range 6 {
			for _, n := range []int{49, 50, 120} {
				f := fitted(generated("a,b,g,c,d,e,y", n, func(r, c int) any {
					v, level := float64(r*37%101)/50-1, r*r%3
					switch {
					case c == 2:
						return fmt.Sprint("g", level)
					case c == 6 && classes:
						return v > 0
					case c == 6:
						return v
					case c < k:
						return v + float64(r*(c+5)*(r+c)%17-8)/(200+50*float64(c))
					}
					return r * (c + 3) * (r + 2*c) % 13
				}))
				x := make([]float64, f.Train.D)
				for j, col := range f.Encoder.Columns {
					switch at := strings.Index("ab cde", col.Name); {
					case col.Kind == "intercept":
						x[j] = -3
					case at >= 0 && at < k:
						x[j] = float64(2 + at)
					case strings.HasPrefix(col.Name, "g="):
						x[j] = float64(j) / 500
					}
				}
				fmt.Fprintf(&out, "columns that tell %d, two classes %v, rows %d: %q %q\n", k, classes, n, Flawless(f.Encoder, f.Train, x), Suspects(f.Encoder, f.Train))
			}
		}
	}
	for _, p := range [][2]string{{"abc", "abc"}, {"abcd", "abc"}, {"abc", "abcd"}, {"abcd", "abcd"}, {"year", "year"}, {"rate", "rating"}, {"rating", "rate"}, {"rating x", "x ratio"}, {"a rating", "ratings"}} {
		fmt.Fprintf(&out, "%q beside %q: %q\n", p[0], p[1], alike(p[0], p[1]))
	}
	goldentest.Text(t, filepath.Join("testdata", "warnings.txt"), out.String())
}

// Agreement is Cohen's kappa, of one column or of its opposite, and none where chance leaves
// nothing to agree on.
func TestAgreementIsKappa(t *testing.T) {
	kappa := func(a, b []float64) float64 {
		n, same, ones := float64(len(a)), 0.0, [2]float64{}
		for i := range a {
			if a[i] == b[i] {
				same++
			}
			ones[0], ones[1] = ones[0]+a[i], ones[1]+b[i]
		}
		chance := (ones[0]*ones[1] + (n-ones[0])*(n-ones[1])) / (n * n)
		if chance == 1 {
			return 0
		}
		return (same/n - chance) / (1 - chance)
	}
	for bits := range 1 << 10 {
		a, not, b := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = float64(bits>>i&1), float64(bits>>(5+i)&1)
			not[i] = 1 - a[i]
		}
		if got, want := agreement(a, b), max(kappa(a, b), kappa(not, b)); math.Abs(got-want) > 1e-14 {
			t.Errorf("%v and %v: %v, not %v", a, b, got, want)
		}
	}
}
