package dro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/goldentest"
)

// recordedHead is the head of the file, which says what it is for.
const recordedHead = `# What every method does on small problems of all kinds: what a change of a constant, of a
# boundary or of the order of steps moves, though every promise still holds. Nothing here is
# right or wrong by itself. Whoever changes a solver renews it,
#
#	go test ./dro -run Recorded -update
#
# and reads the diff: a step more, a bound that is worse at the second check, a method that
# is another. Where the last column alone has changed, rounding has.
#
# method: status, iterations, passes, products of Gram matrices, rounds of ranks, objective, how far
# below it the lower bound was at the second check, at the one in the middle and at the last,
# and a sum of the bits of all points, weights and bounds.
`

// TestRecordedRuns compares with testdata/recorded.txt, to the last bit where the arithmetic is
// that of the file, and elsewhere what holds in any arithmetic: that the bounds of both
// hold one optimum.
func TestRecordedRuns(t *testing.T) {
	const path = "testdata/recorded.txt"
	var parts []func(*testing.T) []recordedRun
	for _, c := range recordedCases() {
		parts = append(parts, c.runs)
	}
	parts = append(parts, recordedOnRanks, recordedBounds, recordedResponses)
	if goldentest.Updating() {
		var out strings.Builder
		out.WriteString(recordedHead + "#\n# " + goldentest.Arithmetic() + "\n")
		problem := ""
		for _, part := range parts {
			for _, r := range part(t) {
				if r.problem != problem {
					problem = r.problem
					out.WriteString("\n" + problem + "\n")
				}
				fmt.Fprintf(&out, "  %s\n", r)
			}
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded, problem, same := map[string]string{}, "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if of, ok := strings.CutPrefix(line, "  "); ok {
			name, what, _ := strings.Cut(of, ": ")
			recorded[problem+", "+name] = what
		} else if problem = line; line == "# "+goldentest.Arithmetic() {
			same = true
		}
	}
	if !same {
		t.Logf("%s is of another arithmetic than %s: only the optima are compared", path, goldentest.Arithmetic())
	}
	others := 0
	for _, part := range parts {
		for _, r := range part(t) {
			name := r.problem + ", " + r.method
			was, ok := recorded[name]
			delete(recorded, name)
			_, is, _ := strings.Cut(r.String(), ": ")
			switch {
			case !ok:
				t.Errorf("%s is not recorded", name)
			case same && was != is:
				others++
				t.Errorf("%s\nwas %s\n is %s", name, was, is)
			case !same:
				if err := r.brackets(was); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if others >= 20 {
			t.Fatal("These runs are others, and no more were looked at. If that is meant: go test ./dro -run Recorded -update, and read the diff")
		}
	}
	for name := range recorded {
		t.Errorf("%s is recorded and not run", name)
	}
	if others > 0 {
		t.Errorf("%d runs are others. If that is meant: go test ./dro -run Recorded -update, and read the diff", others)
	}
}

// A recordedRun is what one method did on one problem.
type recordedRun struct {
	problem, method  string
	status           string
	iterations       int
	passes           float64
	products, rounds int64
	objective        float64
	below            [3]float64 // of the objective
	bits             uint64
}

func (r recordedRun) String() string {
	return fmt.Sprintf("%s: %s %d %.4g %d %d %.9g %.4g %.4g %.4g %08x", r.method, strings.ReplaceAll(r.status, " ", "-"), r.iterations, r.passes, r.products, r.rounds,
		r.objective, r.below[0], r.below[1], r.below[2], uint32(r.bits^r.bits>>32))
}

// brackets reports that the bounds of two runs of one problem do not hold one optimum, to the
// digits that are recorded.
func (r recordedRun) brackets(was string) error {
	f := strings.Fields(was) // as String writes them
	if len(f) != 10 || f[0] == "refused" {
		return nil
	}
	objective, err := strconv.ParseFloat(f[5], 64)
	last, also := strconv.ParseFloat(f[8], 64)
	if err = errors.Join(err, also); err != nil {
		return err
	}
	digits := 1e-8 * math.Abs(objective)
	if r.objective < objective-last-digits-1e-3*last || objective < r.objective-r.below[2]-digits-1e-3*last {
		return fmt.Errorf("objective %v, bounded from below by %v less, was %v and %v", r.objective, r.below[2], objective, last)
	}
	return nil
}

// of fills in what a solve returned.
func (r recordedRun) of(res *Result, err error) recordedRun {
	if res == nil || err != nil {
		r.status = "refused"
		sum := fnv.New64a()
		fmt.Fprint(sum, err)
		r.bits = sum.Sum64()
		return r
	}
	r.status, r.iterations, r.passes, r.objective = res.Status.String(), res.Iterations, res.Passes, res.Objective
	last := len(res.Trace) - 1
	for k, at := range []int{min(1, last), max(min(1, last), last/2), last} {
		r.below[k] = res.Objective - res.Trace[at].Lower
	}
	sum := fnv.New64a()
	add := func(v ...float64) {
		for _, a := range v {
			var b [8]byte
			for i := range b {
				b[i] = byte(math.Float64bits(a) >> (8 * i))
			}
			sum.Write(b[:])
		}
	}
	add(res.X...)
	add(res.Y...)
	add(res.Drawn...)
	add(res.Tau, res.Objective, res.Risk)
	for _, c := range res.Trace {
		add(c.Passes, c.Lower, c.Upper)
	}
	r.bits = sum.Sum64()
	return r
}

// Every recorded run that is interrupted halfway ends with the same bits.
func TestRecordedRunsResume(t *testing.T) {
	resumed := 0
	for _, c := range recordedCases() {
		if n, d, _ := c.problem.Oracle.Dims(); n*d > 2000 {
			continue
		}
		for _, m := range c.methods {
			var states [][]byte
			s := c.settings
			s.Snapshot = func(state []byte) { states = append(states, bytes.Clone(state)) }
			all, err := Solve(context.Background(), c.problem, m, s)
			if err != nil || len(states) < 2 {
				continue
			}
			s.Snapshot, s.Resume = nil, states[len(states)/2]
			rest, err := Solve(context.Background(), c.problem, m, s)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, recordedName(m), err)
				continue
			}
			if was, is := (recordedRun{}).of(all, nil), (recordedRun{}).of(rest, nil); was != is {
				t.Errorf("%s, %s\nwhole %s\nresumed %s", c.name, recordedName(m), was, is)
			}
			resumed++
		}
	}
	if resumed < 400 {
		t.Errorf("only %d runs", resumed)
	}
}
