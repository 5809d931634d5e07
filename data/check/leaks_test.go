package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/internal/printable"
)

// A design is a table with an honest part: four features, of which two predict the target moderately, a category, a
// region and a group of persons; and columns of its own that may leak.
type design struct {
	n              int
	x              [4][]float64
	region, person []int
	class          []int // 0 or 1, with an AUC of about 0.8
	amount         []float64
	r              *rand.Rand
	names          []string
	columns        [][]string
	target         string
	groups         []string
	groupFeatures  bool
	leaks          []string // columns that one finding has to name
	what           Kind
}

func newDesign(n int) *design {
	d := &design{n: n, r: rand.New(rand.NewPCG(uint64(n), 7)), target: "y"}
	for k := range d.x {
		d.x[k] = make([]float64, n)
	}
	for i := range n {
		for k := range d.x {
			d.x[k][i] = d.r.NormFloat64()
		}
		score := d.x[0][i] + 0.7*d.x[1][i] - 0.3
		y := 0
		if d.r.Float64() < 1/(1+math.Exp(-1.5*score)) {
			y = 1
		}
		d.class = append(d.class, y)
		d.amount = append(d.amount, math.Round(100*(50+10*score+8*d.r.NormFloat64()))/100)
		d.region = append(d.region, d.r.IntN(4))
		d.person = append(d.person, d.r.IntN(max(1, n/4)))
	}
	return d
}

func (d *design) add(name string, of func(i int) string) {
	d.names = append(d.names, name)
	v := make([]string, d.n)
	for i := range v {
		v[i] = of(i)
	}
	d.columns = append(d.columns, v)
}

func (d *design) addNumbers(name string, of func(i int) float64) {
	d.add(name, func(i int) string { return fmt.Sprintf("%.6g", of(i)) })
}

func (d *design) text() string {
	for k := range d.x {
		d.addNumbers(fmt.Sprintf("x%d", k+1), func(i int) float64 { return d.x[k][i] })
	}
	d.add("kind", func(i int) string { return string(rune('a' + i*i%5)) })
	if !slices.Contains(d.names, "region") {
		d.add("region", func(i int) string { return fmt.Sprint("r", d.region[i]) })
	}
	d.add("person", func(i int) string { return fmt.Sprint("p", d.person[i]) })
	var b strings.Builder
	b.WriteString(strings.Join(d.names, ",") + "\n")
	for i := range d.n {
		for k := range d.names {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(d.columns[k][i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (d *design) addClass()  { d.add("y", func(i int) string { return fmt.Sprint(d.class[i]) }) }
func (d *design) addAmount() { d.addNumbers("y", func(i int) float64 { return d.amount[i] }) }

func (d *design) averages(value func(i int) float64) []float64 {
	n, sum := make([]float64, d.n), make([]float64, d.n)
	for i := range d.n {
		n[d.person[i]]++
		sum[d.person[i]] += value(i)
	}
	out := make([]float64, d.n)
	for i := range out {
		out[i] = sum[d.person[i]] / n[d.person[i]]
	}
	return out
}

// leaky are tables with a leak of the target each; add adds the target and the columns that leak.
var leaky = map[string]func(d *design){
	"a function of the label": func(d *design) {
		d.addClass()
		d.add("status", func(i int) string { return []string{"open", "closed"}[d.class[i]] })
		d.leaks, d.what = []string{"status"}, Leak
	},
	"the label under several codes": func(d *design) {
		d.addClass()
		d.addNumbers("code", func(i int) float64 { return float64([]int{3, 17, 4, 11, 5, 12}[2*d.r.IntN(3)+d.class[i]]) })
		d.leaks, d.what = []string{"code"}, Leak
	},
	"constant without the event": func(d *design) {
		d.addClass()
		d.addNumbers("week", func(i int) float64 {
			if d.class[i] == 0 || d.r.IntN(60) == 0 {
				return 52
			}
			return float64(1 + d.r.IntN(52))
		})
		d.leaks, d.what = []string{"week"}, LeakAfter
	},
	"filled in after some events": func(d *design) {
		d.addClass()
		d.add("closed_on", func(i int) string {
			if d.class[i] == 0 || d.r.IntN(3) > 0 {
				return ""
			}
			return fmt.Sprint(100 + d.r.IntN(90))
		})
		d.leaks, d.what = []string{"closed_on"}, LeakOutcome
	},
	"the label with noise": func(d *design) {
		d.addClass()
		d.addNumbers("result", func(i int) float64 { return float64(d.class[i]) + 0.3*d.r.NormFloat64() })
		d.leaks, d.what = []string{"result"}, Leak
	},
	"an average of the label by person": func(d *design) {
		d.addClass()
		v := d.averages(func(i int) float64 { return float64(d.class[i]) })
		d.addNumbers("history", func(i int) float64 { return v[i] })
		d.leaks, d.what = []string{"history"}, LeakAverage
	},
	"an average of a quantity by person": func(d *design) {
		d.addAmount()
		v := d.averages(func(i int) float64 { return d.amount[i] })
		d.add("history", func(i int) string { return fmt.Sprintf("%.2f", v[i]) })
		d.leaks, d.what = []string{"history"}, LeakAverage
	},
	"an average of a quantity by a column that is left out": func(d *design) {
		d.addAmount()
		d.person = nil
		for range d.n {
			d.person = append(d.person, d.r.IntN(d.n/12))
		}
		v := d.averages(func(i int) float64 { return d.amount[i] })
		for i := range d.person { // another column with this name
			d.person[i] = i % 7
		}
		d.addNumbers("history", func(i int) float64 { return v[i] })
		d.leaks, d.what = []string{"history"}, LeakAverage
	},
	"a proportion of a class by a column that is left out": func(d *design) {
		d.addClass()
		for i := range d.person {
			d.person[i] = i * 7919 % 12
		}
		v := d.averages(func(i int) float64 { return float64(d.class[i]) })
		for i := range d.person {
			d.person[i] = i % 7
		}
		d.add("history", func(i int) string { return fmt.Sprintf("%.4f", v[i]) })
		d.leaks, d.what = []string{"history"}, LeakAverage
	},
	"shares that sum to one": func(d *design) {
		a, b, c := make([]float64, d.n), make([]float64, d.n), make([]float64, d.n)
		for i := range a {
			u, v, w := d.r.Float64(), d.r.Float64(), d.r.Float64()
			a[i], b[i], c[i] = u/(u+v+w), v/(u+v+w), w/(u+v+w)
		}
		d.addNumbers("y", func(i int) float64 { return a[i] })
		d.addNumbers("share_b", func(i int) float64 { return b[i] })
		d.addNumbers("share_c", func(i int) float64 { return c[i] })
		d.leaks, d.what = []string{"share_b", "share_c"}, LeakIdentity
	},
	"parts of a sum": func(d *design) {
		var parts [3][]float64
		for k := range parts {
			for range d.n {
				parts[k] = append(parts[k], math.Round(100*d.r.ExpFloat64()))
			}
		}
		d.addNumbers("y", func(i int) float64 { return parts[0][i] + parts[1][i] + parts[2][i] })
		for k, name := range []string{"rent", "food", "other"} {
			d.addNumbers(name, func(i int) float64 { return parts[k][i] })
		}
		d.leaks, d.what = []string{"rent", "food", "other"}, LeakIdentity
	},
	"a difference": func(d *design) {
		before := make([]float64, d.n)
		for i := range before {
			before[i] = 200 + 50*d.r.NormFloat64()
		}
		d.addAmount()
		d.add("before", func(i int) string { return fmt.Sprintf("%.2f", before[i]) })
		d.add("after", func(i int) string { return fmt.Sprintf("%.2f", before[i]+d.amount[i]) })
		d.leaks, d.what = []string{"before", "after"}, LeakIdentity
	},
	"a ratio": func(d *design) {
		area := make([]float64, d.n)
		for i := range area {
			area[i] = 20 + 100*d.r.Float64()
		}
		d.add("y", func(i int) string { return fmt.Sprintf("%.6f", math.Exp(d.amount[i]/40)) })
		d.add("price", func(i int) string { return fmt.Sprintf("%.4f", area[i]*math.Exp(d.amount[i]/40)) })
		d.add("area", func(i int) string { return fmt.Sprintf("%.4f", area[i]) })
		d.leaks, d.what = []string{"price", "area"}, LeakIdentity
	},
	"a rounded target": func(d *design) {
		d.addAmount()
		d.addNumbers("band", func(i int) float64 { return 2 * math.Round(d.amount[i]/2) })
		d.leaks, d.what = []string{"band"}, Leak
	},
	"bands of the target": func(d *design) {
		d.addAmount()
		d.add("band", func(i int) string { return []string{"low", "middle", "high"}[min(2, max(0, int(d.amount[i]-25)/20))] })
		d.leaks, d.what = []string{"band"}, LeakBands
	},
	"groups that are bands of the target": func(d *design) {
		d.addAmount()
		d.add("class", func(i int) string { return fmt.Sprint("c", min(3, max(0, int(d.amount[i]-20)/15))) })
		d.groups, d.groupFeatures = []string{"class"}, true
		d.leaks, d.what = []string{"class"}, LeakGroup
	},
	"a roughly rounded target": func(d *design) {
		d.addAmount()
		d.addNumbers("about", func(i int) float64 { return 15 * math.Round(d.amount[i]/15) })
		d.leaks, d.what = []string{"about"}, LeakBands
	},
	"one quantity a product": func(d *design) {
		first := map[int]float64{}
		of := make([]int, d.n)
		for i := range of {
			of[i] = d.r.IntN(d.n / 4)
			if _, known := first[of[i]]; !known {
				first[of[i]] = d.amount[i]
			}
		}
		d.add("y", func(i int) string { return fmt.Sprintf("%.2f", first[of[i]]) })
		d.add("product", func(i int) string { return fmt.Sprint("p", of[i]) })
		d.leaks, d.what = []string{"product"}, LeakKey
	},
	"two texts that agree in one class": func(d *design) {
		d.addClass()
		first := make([]int, d.n)
		for i := range first {
			first[i] = d.r.IntN(3)
		}
		d.add("first", func(i int) string { return string(rune('p' + first[i])) })
		d.add("second", func(i int) string { return string(rune('p' + (first[i]+d.class[i]*(1+d.r.IntN(2)))%3)) })
		d.leaks, d.what = []string{"first", "second"}, LeakTogether
	},
	"a limit of a ratio": func(d *design) {
		spent, limit := make([]float64, d.n), make([]float64, d.n)
		for i := range spent {
			spent[i], limit[i] = math.Exp(d.r.NormFloat64()), math.Exp(d.r.NormFloat64())
		}
		d.add("y", func(i int) string { return fmt.Sprint(spent[i] > 1.5*limit[i]) })
		d.addNumbers("spent", func(i int) float64 { return spent[i] })
		d.addNumbers("limit", func(i int) float64 { return limit[i] })
		d.leaks, d.what = []string{"spent", "limit"}, LeakIdentity
	},
	"ranges of identifiers": func(d *design) {
		d.addClass()
		next := [2]int{1000, 500000}
		blocks := [2]int{}
		d.add("account", func(i int) string {
			k := d.class[i]
			if blocks[k]++; blocks[k]%40 == 0 {
				next[k] += 7000 // another block, between those of the other class
			}
			next[k] += 1 + d.r.IntN(9)
			return fmt.Sprint(next[k]*2%900001 + k*0)
		})
		d.leaks, d.what = []string{"account"}, Leak
	},
	"groups of class and background": func(d *design) {
		d.addClass()
		d.add("cell", func(i int) string { return fmt.Sprintf("%d-%s", d.class[i], []string{"land", "water"}[d.r.IntN(2)]) })
		d.groups, d.groupFeatures = []string{"cell"}, true
		d.leaks, d.what = []string{"cell"}, LeakGroup
	},
	"groups that say whether a column agrees": func(d *design) {
		d.addClass()
		place := make([]int, d.n)
		for i := range place {
			if place[i] = d.class[i]; d.r.IntN(10) == 0 {
				place[i] = 1 - place[i]
			}
		}
		d.add("place", func(i int) string { return []string{"land", "water"}[place[i]] })
		d.add("agrees", func(i int) string { return []string{"no", "yes"}[1-(place[i]^d.class[i])] })
		d.groups, d.groupFeatures = []string{"agrees"}, true
		d.leaks, d.what = []string{"agrees"}, LeakSlopes
	},
	"groups that say whether measures agree": func(d *design) {
		d.addClass()
		side := make([]int, d.n)
		for i := range side {
			if side[i] = d.class[i]; d.r.IntN(6) == 0 {
				side[i] = 1 - side[i]
			}
		}
		for k := range 3 {
			d.addNumbers(fmt.Sprint("pixel", k), func(i int) float64 { return 2.5*float64(2*side[i]-1) + d.r.NormFloat64() })
		}
		d.add("agrees", func(i int) string { return []string{"no", "yes"}[1-(side[i]^d.class[i])] })
		d.groups, d.groupFeatures = []string{"agrees"}, true
		d.leaks, d.what = []string{"agrees"}, LeakSlopes
	},
	"the margin of a game": func(d *design) {
		d.add("y", func(i int) string { return fmt.Sprint(d.class[i]) })
		home := make([]int, d.n)
		for i := range home {
			home[i] = 60 + d.r.IntN(50)
		}
		d.add("home", func(i int) string { return fmt.Sprint(home[i]) })
		d.add("guest", func(i int) string { return fmt.Sprint(home[i] + (1-2*d.class[i])*(1+d.r.IntN(20))) })
		d.leaks, d.what = []string{"home", "guest"}, LeakTogether
	},
}

func examineText(t *testing.T, text string, roles Roles) []Finding {
	t.Helper()
	f, err := data.ReadBytes(t.Context(), "t.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Examine(t.Context(), f, nil, roles)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// leaksOf returns the warnings of leaks.
func leaksOf(all []Finding) []Finding {
	return slices.DeleteFunc(all, func(f Finding) bool { return !f.IsLeak() || f.Severity != Warning })
}

// Every leak is found without a hold-out at 300, 1000 and 5000 rows, under its kind, and no other column is called one.
func TestExamine_Leaks(t *testing.T) {
	for name, add := range leaky {
		for _, n := range []int{300, 1000, 5000} {
			t.Run(fmt.Sprintf("%s, %d rows", name, n), func(t *testing.T) {
				d := newDesign(n)
				add(d)
				leaks := leaksOf(examineText(t, d.text(), Roles{Target: d.target, Groups: d.groups,
					GroupFeatures: d.groupFeatures}))
				found := false
				for _, f := range leaks {
					columns := f.Columns
					if columns == nil {
						columns = []string{f.Column}
					}
					hit := slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(d.leaks, c) })
					found = found || hit && f.What == d.what
					if !hit {
						t.Errorf("no leak: %s", f.String())
					}
				}
				if !found {
					t.Errorf("not found; all findings: %s", printable.JoinWords(stringsOf(leaks), "and"))
				}
			})
		}
	}
}

func stringsOf(all []Finding) (out []string) {
	for _, f := range all {
		out = append(out, f.String())
	}
	return out
}

// Nothing is called a leak of an honest table of classes or a quantity, with groups as features or not.
func TestExamine_HonestTables(t *testing.T) {
	for _, n := range []int{300, 1000, 5000} {
		for _, add := range []func(d *design){(*design).addClass, (*design).addAmount} {
			d := newDesign(n)
			add(d)
			for _, features := range []bool{false, true} {
				all := examineText(t, d.text(), Roles{Target: "y", Groups: []string{"region"}, GroupFeatures: features})
				if leaks := leaksOf(all); len(leaks) > 0 {
					t.Errorf("%d rows: %q", n, stringsOf(leaks))
				}
				d = newDesign(n)
				add(d)
			}
		}
	}
}

// A column of numbers without any value is examined like the others.
func TestExamine_NumbersWithoutValues(t *testing.T) {
	for _, add := range []func(d *design){(*design).addClass, (*design).addAmount} {
		d := newDesign(300)
		add(d)
		f, err := data.ReadBytes(t.Context(), "t.csv", []byte(d.text()))
		if err != nil {
			t.Fatal(err)
		}
		columns := []data.Column{{Name: "empty", Kind: data.Numeric, Type: "double", Number: make([]float64, 300),
			Null: slices.Repeat([]bool{true}, 300)}}
		for _, name := range []string{"x1", "y"} {
			c, err := f.Column(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, *c)
		}
		if f, err = data.NewFrame(columns...); err != nil {
			t.Fatal(err)
		}
		if all, err := Examine(t.Context(), f, nil, Roles{Target: "y"}); err != nil || len(leaksOf(all)) > 0 {
			t.Errorf("%v, %q", err, stringsOf(all))
		}
	}
}

// Averages by a column that is left out are found if they were taken over more rows than are examined. The expected
// target, as predicted by a model of other rows or known of a larger population, is no leak.
func TestExamine_AveragesOverMoreRows(t *testing.T) {
	for _, binary := range []bool{false, true} {
		found, alarms := 0, 0
		const tables = 40
		for seed := range uint64(tables) {
			r := rand.New(rand.NewPCG(seed, 31))
			const n, keys = 4000, 100
			sum, count, level := make([]float64, keys), make([]float64, keys), make([]float64, keys)
			key, y := make([]int, n), make([]float64, n)
			for k := range level {
				level[k] = r.Float64()
			}
			for i := range y {
				key[i] = r.IntN(keys)
				y[i] = level[key[i]] + 0.3*r.NormFloat64()
				if binary {
					y[i] = 0
					if r.Float64() < level[key[i]] {
						y[i] = 1
					}
				}
				sum[key[i]], count[key[i]] = sum[key[i]]+y[i], count[key[i]]+1
			}
			for _, leak := range []bool{true, false} {
				var b strings.Builder
				b.WriteString("x,history,y\n")
				for i := range n * 4 / 5 { // the last fifth is held out
					v := level[key[i]]
					if leak {
						v = sum[key[i]] / count[key[i]]
					}
					fmt.Fprintf(&b, "%.4f,%.6f,%.4f\n", r.NormFloat64(), v, y[i])
				}
				all := leaksOf(examineText(t, b.String(), Roles{Target: "y"}))
				is := slices.ContainsFunc(all, func(f Finding) bool { return f.What == LeakAverage && f.Column == "history" })
				if is && leak {
					found++
				} else if is {
					alarms++
				}
			}
		}
		if found < tables-1 || alarms > 0 {
			t.Errorf("binary %v: %d of %d leaks found, %d false alarms", binary, found, tables, alarms)
		}
	}
}

// A group column that is no feature, such as class × attribute, leaks nothing.
func TestExamine_GroupsThatAreNoFeatures(t *testing.T) {
	tried := 0
	for name, add := range leaky {
		d := newDesign(1000)
		add(d)
		if !d.groupFeatures {
			continue
		}
		tried++
		for _, f := range leaksOf(examineText(t, d.text(), Roles{Target: d.target, Groups: d.groups})) {
			if slices.Contains(d.groups, f.Column) {
				t.Errorf("%s: %s", name, f.String())
			}
		}
	}
	if tried < 3 {
		t.Errorf("only %d designs have groups that leak", tried)
	}
}

// A column whose unusual value nearly always goes with one outcome is a note, and one whose values differ less is none.
func TestExamine_NearlyPureColumnIsANote(t *testing.T) {
	for turned, want := range map[int]bool{10: true, 3: false} { // every tenth, and every third row of the value
		var b strings.Builder
		b.WriteString("x,insured,deny\n")
		for i := range 1000 {
			insured, deny := "no", "no"
			if i%25 == 0 {
				insured, deny = "yes", "yes"
				if i/25%turned == 0 {
					deny = "no"
				}
			} else if i%9 == 0 {
				deny = "yes"
			}
			fmt.Fprintf(&b, "%d,%s,%s\n", i*7%97, insured, deny)
		}
		found := false
		for _, f := range examineText(t, b.String(), Roles{Target: "deny"}) {
			if f.Column == "insured" && f.What == LeakOutcome {
				found = true
				if f.Severity != Note {
					t.Errorf("severity %v", f.Severity)
				}
			}
		}
		if found != want {
			t.Errorf("one of %d turned: found %v", turned, found)
		}
	}
}

// A key whose averages leak is found beside so many entries of vectors with repeated values that not every pair of
// columns is compared.
func TestExamine_AveragesBesideWideVectors(t *testing.T) {
	const n, width = 600, 2500
	r := rand.New(rand.NewPCG(3, 3))
	x, y := make([]float32, n*width), make([]float64, n)
	key, average := make([]float64, n), make([]float64, n)
	for k := range x {
		x[k] = float32(r.IntN(200)) / 128
	}
	var sum, rows [40]float64
	for i := range y {
		y[i], key[i] = float64(min(1, r.IntN(3))), float64(i%40)
		sum[i%40], rows[i%40] = sum[i%40]+y[i], rows[i%40]+1
	}
	for i := range average {
		average[i] = sum[i%40] / rows[i%40]
	}
	shape := fmt.Sprintf("(%d,)", n)
	f, err := data.Open(t.Context(), "x="+datatest.WriteArray(t, "x.npy", "<f4", fmt.Sprintf("(%d, %d)", n, width), x)+
		",key="+datatest.WriteArray(t, "k.npy", "<f8", shape, key)+
		",average="+datatest.WriteArray(t, "a.npy", "<f8", shape, average)+
		",y="+datatest.WriteArray(t, "y.npy", "<f8", shape, y))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	found, err := ExamineSample(t.Context(), f, all, nil, Roles{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	found = leaksOf(found)
	if len(found) != 1 || found[0].Column != "average" || !strings.Contains(found[0].Evidence, `with the same "key"`) {
		t.Errorf("found %v", stringsOf(found))
	}
}
