package latent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/goldentest"
)

const recordedHead = `# The laws that are found in small tables of all kinds, and what they are held against: what a
# change of a constant, of a boundary or of the order of steps moves, though every promise
# still holds. Nothing here is right or wrong by itself. Whoever changes how laws are found
# renews it,
#
#	go test ./train/latent -run Recorded -update
#
# and reads the diff. After a ~: the sum of all bits.
#
`

// recordedRows are n rows of d columns of a kind.
func recordedRows(kind string, n, d int, binary, free bool, rng *rand.Rand) *Rows {
	r := &Rows{Target: make([]float64, n), Binary: binary, Free: free}
	z := make([]float64, n*d)
	for j := range n {
		row := z[j*d : (j+1)*d]
		for i := range row {
			row[i] = rng.NormFloat64()
		}
		if free {
			row[d-1] = 1
		}
		law, noise := rng.IntN(8), 0.3*rng.NormFloat64()
		slope := func(of ...float64) (m float64) {
			for i, v := range row {
				m += of[i%len(of)] * v
			}
			return m
		}
		m := slope(2, -1, 0.5)
		switch kind {
		case "two":
			if law < 2 {
				m = slope(-2, -1, 0.5)
			}
		case "three":
			if law < 4 {
				m = slope([][]float64{{-3, 1, 2}, {1, 4, -2}}[law%2]...)
			}
		case "heavy":
			noise /= 0.05 + rng.Float64()
		case "multiple":
			if law < 2 {
				m *= 3
			}
		case "turned":
			if law < 2 {
				m = -m
			}
		case "growing":
			noise *= math.Exp(row[0])
		case "vanishing":
			noise *= math.Abs(row[0])
		case "exact":
			if noise = 0; law < 1 {
				m = slope(-1, 1)
			}
		case "large":
			for i := range row[:d-1] {
				row[i] *= 100
			}
		case "separable":
			noise = 0
		case "one column":
			for i := range row[:d-1] {
				row[i] = row[0]
			}
			m = 2 * row[0]
		case "weighted":
			if law < 2 {
				m = slope(-1, -1)
			}
			r.Weight = append(r.Weight, float64(rng.IntN(3)))
		case "rare":
			if row[0] = 0; law < 1 {
				row[0] = 1
			}
		}
		switch {
		case !binary:
			r.Target[j] = m + noise
		case kind == "separable":
			r.Target[j] = math.Copysign(1, m)
		default:
			if r.Target[j] = -1; rng.Float64() < 1/(1+math.Exp(-2*m)) {
				r.Target[j] = 1
			}
		}
		if kind == "constant" {
			r.Target[j] = 1
		}
	}
	var err error
	if r.X, err = design.NewDense(n, d, z); err != nil {
		panic(err)
	}
	return r
}

// TestRecordedLaws compares with testdata/recorded.txt.
func TestRecordedLaws(t *testing.T) {
	var out strings.Builder
	kinds := []string{"two", "three", "heavy", "multiple", "turned", "growing", "vanishing", "exact", "large", "separable", "one column", "weighted", "rare", "constant", "few"}
	for turn := range 2 * len(kinds) {
		kind, binary, free := kinds[turn/2], turn%2 == 1, turn%3 != 0
		n, d := 90+40*(turn%4), 2+(turn/2+turn)%3
		if kind == "few" {
			n = d + 1
		}
		r := recordedRows(kind, n, d, binary, free, rand.New(rand.NewPCG(uint64(turn), 77)))
		r.Even = turn%5 == 0
		fmt.Fprintf(&out, "\n# %d: %s, %d × %d, classes %v, intercept %v, even %v\n", turn, kind, n, d, binary, free, r.Even)
		mark := ""
		if kind == "constant" || kind == "few" { // there are many laws, as likely
			mark = "~ "
		}
		recordLaws(&out, mark, r)
	}
	goldentest.Record(t, "testdata/recorded.txt", recordedHead, out.String(), 0.02)
}

// recordLaws writes the laws that are found of rows, a line each, after a mark.
func recordLaws(out *strings.Builder, mark string, r *Rows) {
	say := func(what string, l *Laws) {
		out.WriteString(mark)
		if l == nil {
			fmt.Fprintf(out, "%s: none\n", what)
			return
		}
		p, density := l.Posterior(r.X, r.Target)
		mean := 0.0
		for _, v := range density {
			mean += v / float64(len(density))
		}
		_, bits, _ := strings.Cut(goldentest.Values(p), "~")
		fmt.Fprintf(out, "%s: density %s, tie %s, %s, ~%s\n", what, goldentest.Values(mean), tieText(l.tie), goldentest.Values(l), bits)
	}
	one := Single(r)
	say("one", one)
	if one == nil {
		return
	}
	null, two := Null(r, one), More(r, one)
	say("a part more", null)
	say("two", two)
	if two == nil {
		return
	}
	if null != nil {
		say("nearer", Nearer(r, null, two))
	}
	if r.Binary || len(r.Target) < 150 { // steps of three laws of numbers are many
		say("three", More(r, two))
		say("two and a part", Null(r, two))
	}
}

func tieText(t *tie) string {
	if t == nil {
		return "none"
	}
	return fmt.Sprintf("%d to %d, wrong %v, ", t.part, t.of, t.wrong) + goldentest.Values([]float64{t.scale, t.shift})
}
