package tune

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// A Table holds the training rows, in random order, and the regularised loss on them. Its methods panic if there is
// no matrix or loss, or if a slice lacks an entry for a row.
type Table struct {
	level.Rows
	X      design.Matrix
	Target []float64 // the target as the loss uses it
	Loss   losses.Loss
	Primal dro.L2

	// number of coefficients for each column: the number of classes if there are more than two, otherwise 0 or
	// 1
	Outputs int

	// Validation holds the rows on which candidates are compared, encoded like the training rows; nil means
	// that candidates are compared by cross-validation. No candidate is fitted to these rows, except the mean
	// of models on balanced subsets of them.
	Validation *Table

	Memory Memory // memory for the solved models; may be nil
}

// Select returns a table with copies of some rows.
func (t *Table) Select(rows []int) *Table { return t.withRows(rows, t.X.Select(rows)) }

// withRows returns a table of some rows with the given features.
func (t *Table) withRows(rows []int, x design.Matrix) *Table {
	s := *t
	s.Rows = t.Rows.Select(rows)
	s.X = x
	s.Target = make([]float64, len(rows))
	for k, j := range rows {
		s.Target[k] = t.Target[j]
	}
	return &s
}

// selectMapped works like Select, but if the features are on disk, the copies are stored there too. free releases
// the table.
func (t *Table) selectMapped(rows []int) (s *Table, free func()) {
	kept, ok := t.X.(*design.Mapped)
	if !ok {
		return t.Select(rows), func() {}
	}
	x := kept.Subset(rows)
	s = &Table{Rows: t.Rows.Select(rows), X: x, Target: memory.Make[float64](t.arena(), len(rows)), Loss: t.Loss,
		Primal: t.Primal, Outputs: t.Outputs, Memory: t.Memory}
	for k, j := range rows {
		s.Target[k] = t.Target[j]
	}
	return s, func() {
		x.Free()
		memory.Release(t.arena(), s.Target)
	}
}

// arena returns the arena for vectors with one entry for each row; nil means the heap.
func (t *Table) arena() *memory.Arena {
	if x, ok := t.X.(interface{ Arena() *memory.Arena }); ok {
		return x.Arena()
	}
	return nil
}

// hasClasses reports whether the targets are classes.
func (t *Table) hasClasses() bool {
	return t.Loss.Meaning().Classes
}

// stratum returns a number that identifies the group and the class of row j.
func (t *Table) stratum(j int) int {
	s, classes := 0, max(2, t.Outputs)
	if t.Group != nil {
		s = classes * (int(t.Group[j]) + 1)
	}
	if t.Outputs > 1 {
		return s + int(t.Target[j])
	}
	if t.hasClasses() && t.Target[j] > 0 {
		s++
	}
	return s
}

// shuffleByStratum returns the rows, one stratum after another, in random order within each stratum.
func (t *Table) shuffleByStratum(rng *rand.Rand) []int {
	order := memory.Make[int](t.arena(), t.N)
	defer memory.Release(t.arena(), order)
	for j := range order {
		order[j] = j
	}
	rng.Shuffle(t.N, func(i, j int) { order[i], order[j] = order[j], order[i] })
	out := memory.Make[int](t.arena(), t.N)
	t.sortByStratum(out, order)
	return out
}

// sortByStratum stores rows in dst, one stratum after another, keeping their order within each stratum.
func (t *Table) sortByStratum(dst, rows []int) {
	var first []int // first index of each stratum in the result: counts, which are then added up
	for _, j := range rows {
		s := t.stratum(j)
		for s+1 >= len(first) {
			first = append(first, 0)
		}
		first[s+1]++
	}
	for s := 1; s < len(first); s++ {
		first[s] += first[s-1]
	}
	for _, j := range rows {
		s := t.stratum(j)
		dst[first[s]] = j
		first[s]++
	}
}

// A FewRowsError reports why a choice is impossible, in most cases because there are too few rows.
type FewRowsError struct{ Msg string }

func (e *FewRowsError) Error() string { return e.Msg }

// DefaultFolds is the default number of folds.
const DefaultFolds = 3

// Folds assigns the rows to count folds at random, within each group and class, and returns the fold of every row. It
// returns a *FewRowsError if there are fewer rows than folds, or two classes of which one has fewer rows than folds. If
// there are more classes, one may be missing from the training rows of a fold, whose model then gives it a probability
// near zero.
func (t *Table) Folds(count int, seed uint64) ([]int, error) {
	if count < 2 || count > t.N {
		return nil, &FewRowsError{fmt.Sprintf("%d %s for %d %s: there must be at least 2 folds, and at most as many "+
			"folds as rows", count,
			printable.Noun(count, "fold", "folds"), t.N, printable.Noun(t.N, "row", "rows"))}
	}
	if t.hasClasses() && t.Outputs <= 1 {
		class := map[float64]int{}
		for _, v := range t.Target {
			class[v]++
		}
		for _, v := range []float64{-1, 1} {
			if class[v] < count {
				advice := ""
				if class[v] > 1 {
					advice = fmt.Sprintf(": at most %d folds are possible", class[v])
				}
				return nil, &FewRowsError{fmt.Sprintf(
					"a fold would lack a class: only %d of the %d training rows %s to the rarer class, but there are %d folds%s",
					class[v], t.N, printable.Noun(class[v], "belongs", "belong"), count, advice)}
			}
		}
	}
	const stream = 0x666f6c64
	order := t.shuffleByStratum(rand.New(rand.NewPCG(seed, stream)))
	defer memory.Release(t.arena(), order)
	fold := memory.Make[int](t.arena(), t.N)
	for k, j := range order {
		fold[j] = k % count
	}
	return fold, nil
}

// sample returns about count rows in ascending order, including rows of every stratum.
func (t *Table) sample(count int, seed uint64) []int {
	const stream = 0x73616d70
	// the sample is drawn from the first wide·count rows, which are a random sample of all rows
	const wide = 16
	n := min(t.N, wide*count)
	order := make([]int, n)
	t.sortByStratum(order, rand.New(rand.NewPCG(seed, stream)).Perm(n))
	rows := make([]int, 0, count)
	share, passed := float64(count)/float64(n), 0.5
	for _, j := range order {
		if passed += share; passed >= 1 {
			passed--
			rows = append(rows, j)
		}
	}
	slices.Sort(rows)
	return rows
}

// splitFold returns the rows of all folds except k, and the rows of fold k, allocated in arena.
func splitFold(arena *memory.Arena, fold []int, k int) (trainRows, heldOut []int) {
	count := 0
	for _, f := range fold {
		if f == k {
			count++
		}
	}
	trainRows, heldOut = memory.Make[int](arena, len(fold)-count)[:0], memory.Make[int](arena, count)[:0]
	for j, f := range fold {
		if f == k {
			heldOut = append(heldOut, j)
		} else {
			trainRows = append(trainRows, j)
		}
	}
	return trainRows, heldOut
}
