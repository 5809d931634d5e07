package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/mpi"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/losses"
)

func init() {
	register("ranks", "what a rank computes and what travels, counted; built with -tags mpi and started by mpirun, of its ranks", overRanks)
}

func overRanks(ctx context.Context, fs *flag.FlagSet, args []string) error {
	rows := fs.Int("rows", 100_000, "rows, for each rank")
	fixed := fs.Bool("fixed", false, "so many rows in all, for any number of ranks")
	columns := fs.Int("columns", 21, "columns, the intercept among them")
	sizes := fs.String("ranks", "1,2,3,4", "ranks that are goroutines, by commas; of an MPI job those it has")
	nu := fs.Float64("nu", 1, "price of KL")
	share := fs.Float64("cvar", 0, "CVaR of the worst share of the rows in the place of KL")
	if err := parse(fs, args); err != nil {
		return err
	}
	comm, exit, err := mpi.Start(os.Getenv)
	if err != nil {
		return err
	}
	if comm.Rank() == 0 {
		fmt.Println("| ranks | rows | rows a rank | passes | work a rank, least to most | rounds | MB a rank | of these copies of rows | objective | gap |")
		fmt.Println("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	}
	one := func(c ranks.Comm) error {
		n := *rows
		if !*fixed {
			n *= c.Size()
		}
		var dual dro.Dual = dro.KL{Nu: *nu}
		if *share > 0 {
			dual = dro.Protected{Share: *share}
		}
		return countedSolve(ctx, c, n, *columns, dual)
	}
	if _, alone := comm.(ranks.One); !alone {
		if err := one(comm); err != nil {
			fmt.Fprintln(os.Stderr, err)
			exit(1)
		}
		exit(0)
	}
	for _, text := range strings.Split(*sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1 {
			return fmt.Errorf("-ranks: %q is no number of ranks", text)
		}
		if err := ranks.Run(size, one); err != nil {
			return err
		}
	}
	return nil
}

// countedSolve certifies a problem to 1e-6, and prints what it took.
func countedSolve(ctx context.Context, comm ranks.Comm, n, d int, dual dro.Dual) error {
	c, traffic := ranks.Count(comm)
	dealt := ranks.NewRows(c, n)
	lo, hi := dealt.Here(n)
	x, target := make([]float64, (hi-lo)*d), make([]float64, n)
	for s := range dealt.Shards(n) { // a stream of its own for every shard: the same rows for any ranks
		from, to := shard.Bounds(n, dealt.Shards(n), s)
		rng := rand.New(rand.NewPCG(7, uint64(s)))
		for i := from; i < to; i++ {
			margin, rare := 0.0, rng.IntN(50) == 0
			for k := range d {
				v := 1.0
				if k < d-1 {
					v = rng.NormFloat64()
				}
				if i >= lo && i < hi {
					x[(i-lo)*d+k] = v
				}
				if rare {
					v = -v
				}
				margin += v / float64(k+1)
			}
			if target[i] = -1; rng.Float64() < 1/(1+math.Exp(-margin)) {
				target[i] = 1
			}
		}
	}
	here, err := design.NewDense(hi-lo, d, x)
	if err != nil {
		return err
	}
	z, err := design.NewDealt(dealt, n, here)
	if err != nil {
		return err
	}
	var work, copied atomic.Int64
	oracle, err := losses.NewLinear(losses.Logistic{}, dealtCounted(z, &work, &copied), target)
	if err != nil {
		return err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: 0.25}}
	method, _ := dro.Choose(p)
	before := traffic()
	res, err := dro.Solve(ctx, p, method, dro.DefaultSettings())
	if err != nil {
		return err
	}
	t := traffic()
	all, _ := ranks.GatherAll(comm, []float64{float64(work.Load()) / float64(n*d/comm.Size())})
	if comm.Rank() == 0 {
		fmt.Printf("| %d | %d | %d | %.2f | %.2f to %.2f | %d | %.2f | %.2f | %.12f | %.1e |\n", comm.Size(), n, n/comm.Size(), res.Passes, slices.Min(all), slices.Max(all),
			t.Rounds-before.Rounds, float64(t.Bytes-before.Bytes)/1e6, float64(copied.Load())/1e6, res.Objective, res.Certificate.Relative())
	}
	return nil
}

// countedRows counts multiplications and additions with entries of a matrix and of copies of
// its rows.
type countedRows struct {
	design.Matrix
	work, copied *atomic.Int64
}

func (m *countedRows) count(lo, hi, of int) { m.work.Add(int64(hi-lo) * int64(of)) }

func (m *countedRows) columns() int {
	_, d := m.Dims()
	return d
}

// countedDealt counts where the rows lie with ranks, copies of them too.
type countedDealt struct {
	countedRows
	dealt *design.Dealt
}

func (m *countedDealt) Rows() *ranks.Rows { return m.dealt.Rows() }

func (m *countedDealt) Room() *paged.Room { return m.dealt.Room() }

func (m *countedDealt) MostSelected() int { return m.dealt.MostSelected() }

func (m *countedDealt) Part(count int) design.Matrix {
	return dealtCounted(m.dealt.Part(count).(*design.Dealt), m.work, m.copied)
}

func (m *countedDealt) Select(rows []int) design.Matrix {
	copies, _ := m.SelectWith(rows, nil)
	return copies
}

func (m *countedDealt) SelectWith(rows []int, v []float64) (design.Matrix, []float64) {
	m.copied.Add(8 * int64(len(rows)*m.columns()))
	copies, beside := m.dealt.SelectWith(rows, v)
	return &countedRows{copies, m.work, m.copied}, beside
}

func dealtCounted(z *design.Dealt, work, copied *atomic.Int64) *countedDealt {
	return &countedDealt{countedRows{z, work, copied}, z}
}

func (m *countedRows) Select(rows []int) design.Matrix {
	return &countedRows{m.Matrix.Select(rows), m.work, m.copied}
}

func (m *countedRows) MarginsTo(dst, x []float64, lo, hi int) {
	m.count(lo, hi, m.columns())
	m.Matrix.MarginsTo(dst, x, lo, hi)
}

func (m *countedRows) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.count(lo, hi, m.columns())
	m.Matrix.AddRowsTo(dst, u, v, lo, hi)
}

func (m *countedRows) AddChangeTo(dst, u, v, p, q []float64, lo, hi int) {
	m.count(lo, hi, m.columns())
	m.Matrix.AddChangeTo(dst, u, v, p, q, lo, hi)
}

func (m *countedRows) AddGramTo(dst, w []float64, lo, hi int) {
	d := m.columns()
	m.count(lo, hi, d*(d+1)/2)
	m.Matrix.AddGramTo(dst, w, lo, hi)
}

func (m *countedRows) AddSquaresTo(dst, w []float64, lo, hi int) {
	m.count(lo, hi, m.columns())
	m.Matrix.AddSquaresTo(dst, w, lo, hi)
}

func (m *countedRows) NormsTo(dst, scale []float64, lo, hi int) {
	m.count(lo, hi, m.columns())
	m.Matrix.NormsTo(dst, scale, lo, hi)
}
