package train_test

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	arrowmemory "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A loan is a row of the tables below. The names of the columns are in alphabetical order, as columns of records are.
type loan struct {
	Amount float64  `drotrain:"amount"`
	Income *float64 `drotrain:"income"` // nil: a null
	Region string   `drotrain:"region"`
	Repaid string   `drotrain:"repaid"`
	Years  int64    `drotrain:"years"`
}

var loanColumns = []string{"amount", "income", "region", "repaid", "years"}

func (l *loan) values() []any {
	var income any
	if l.Income != nil {
		income = *l.Income
	}
	return []any{l.Amount, income, l.Region, l.Repaid, l.Years}
}

// newLoans returns rows whose numbers have no short decimal form.
func newLoans(n int) []loan {
	out := make([]loan, n)
	for i := range out {
		l := &out[i]
		l.Amount, l.Years, l.Region = math.Exp(math.Sin(float64(i))), int64(i*i%11), []string{"north", "south", "west"}[i%3]
		if i%13 > 0 {
			income := math.Sqrt(float64(2 + i*7%101))
			l.Income = &income
		}
		l.Repaid = "yes"
		if math.Sin(float64(i)*1.7)+l.Amount > 1.5+float64(i%3)/3 {
			l.Repaid = "no"
		}
	}
	return out
}

// A loanDatabase is a driver of database/sql whose queries return all loans.
type loanDatabase []loan

func (d loanDatabase) Open(string) (driver.Conn, error)             { return d, nil }
func (d loanDatabase) Prepare(string) (driver.Stmt, error)          { return d, nil }
func (d loanDatabase) Close() error                                 { return nil }
func (d loanDatabase) Begin() (driver.Tx, error)                    { return nil, errors.New("no transactions") }
func (d loanDatabase) NumInput() int                                { return 0 }
func (d loanDatabase) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.New("no exec") }
func (d loanDatabase) Query([]driver.Value) (driver.Rows, error)    { return &loanCursor{rows: d}, nil }
func (d loanDatabase) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d loanDatabase) Driver() driver.Driver                        { return d }

type loanCursor struct{ rows []loan }

func (c *loanCursor) Columns() []string { return loanColumns }
func (c *loanCursor) Close() error      { return nil }
func (c *loanCursor) Next(dest []driver.Value) error {
	if len(c.rows) == 0 {
		return io.EOF
	}
	for k, v := range c.rows[0].values() {
		dest[k] = v
	}
	c.rows = c.rows[1:]
	return nil
}

func loanRecord(loans []loan) arrow.Record {
	b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "amount", Type: arrow.PrimitiveTypes.Float64}, {Name: "income", Type: arrow.PrimitiveTypes.Float64,
			Nullable: true},
		{Name: "region", Type: arrow.BinaryTypes.String}, {Name: "repaid", Type: arrow.BinaryTypes.String},
		{Name: "years", Type: arrow.PrimitiveTypes.Int64}}, nil))
	for _, l := range loans {
		b.Field(0).(*array.Float64Builder).Append(l.Amount)
		if income := b.Field(1).(*array.Float64Builder); l.Income == nil {
			income.AppendNull()
		} else {
			income.Append(*l.Income)
		}
		b.Field(2).(*array.StringBuilder).Append(l.Region)
		b.Field(3).(*array.StringBuilder).Append(l.Repaid)
		b.Field(4).(*array.Int64Builder).Append(l.Years)
	}
	return b.NewRecord()
}

// loanText returns the loans as CSV, with the digits that numbers need.
func loanText(loans []loan) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(loanColumns, ","))
	for _, l := range loans {
		income := ""
		if l.Income != nil {
			income = fmt.Sprint(*l.Income)
		}
		fmt.Fprintf(&b, "%v,%s,%s,%s,%d\n", l.Amount, income, l.Region, l.Repaid, l.Years)
	}
	return b.Bytes()
}

// loanConfig trains on loans with groups and a hold-out.
func loanConfig() train.Config {
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Groups, cfg.Nu, cfg.Impute = "repaid", []string{"region"}, level.At(0.5), "median"
	return cfg
}

// bitsOf returns the numbers of a model to the last bit.
func bitsOf(m *train.Model) []uint64 {
	s := m.Summary("")
	out := []uint64{math.Float64bits(s.Objective), math.Float64bits(*s.Certificate.Lower), math.Float64bits(s.Passes)}
	for _, c := range m.Coefficients {
		out = append(out, math.Float64bits(c))
	}
	return out
}

// Structs, records, the rows of a query, Arrow records and streams, columns, CSV and Parquet give the same model to the
// last bit.
func TestFitFrame_SameBitsFromEverySource(t *testing.T) {
	loans := newLoans(400)
	db := sql.OpenDB(loanDatabase(loans))
	defer db.Close()
	record := loanRecord(loans)
	var want []uint64
	for _, source := range []struct {
		name string
		read func() (*data.Frame, error)
	}{
		{"structs", func() (*data.Frame, error) { return data.FromStructs(loans) }},
		{"records", func() (*data.Frame, error) {
			records := make([]map[string]any, len(loans))
			for i := range loans {
				records[i] = make(map[string]any)
				for k, v := range loans[i].values() {
					records[i][loanColumns[k]] = v
				}
			}
			return data.FromRecords(records)
		}},
		{"query", func() (*data.Frame, error) {
			rows, err := db.QueryContext(t.Context(), "SELECT * FROM loans")
			if err != nil {
				return nil, err
			}
			return data.FromRows(rows)
		}},
		{"Arrow", func() (*data.Frame, error) {
			return data.FromArrow(t.Context(), record.NewSlice(0, 123), record.NewSlice(123, 400))
		}},
		{"Arrow stream", func() (*data.Frame, error) {
			var b bytes.Buffer
			w := ipc.NewWriter(&b, ipc.WithSchema(record.Schema()))
			if err := errors.Join(w.Write(record), w.Close()); err != nil {
				return nil, err
			}
			return data.ReadBytes(t.Context(), "loans.arrows", b.Bytes())
		}},
		{"columns", func() (*data.Frame, error) {
			var columns []data.Column
			add := func(c data.Column, err error) {
				if err != nil {
					t.Fatal(err)
				}
				columns = append(columns, c)
			}
			add(data.ColumnOf("amount", column(loans, func(l loan) float64 { return l.Amount })))
			add(data.ColumnOf("income", column(loans, func(l loan) *float64 { return l.Income })))
			add(data.ColumnOf("region", column(loans, func(l loan) string { return l.Region })))
			add(data.ColumnOf("repaid", column(loans, func(l loan) string { return l.Repaid })))
			add(data.ColumnOf("years", column(loans, func(l loan) int64 { return l.Years })))
			return data.NewFrame(columns...)
		}},
		{"CSV", func() (*data.Frame, error) { return data.ReadBytes(t.Context(), "loans.csv", loanText(loans)) }},
		{"Parquet", func() (*data.Frame, error) {
			f, err := data.FromStructs(loans)
			if err != nil {
				return nil, err
			}
			var columns []data.Column
			for _, c := range f.Columns {
				columns = append(columns, *c)
			}
			path := t.TempDir() + "/loans.parquet"
			if err := data.WriteTable(path, columns, false); err != nil {
				return nil, err
			}
			return data.Open(t.Context(), path)
		}},
	} {
		table, err := source.read()
		if err != nil {
			t.Fatal(source.name, err)
		}
		model, err := train.FitFrame(t.Context(), table, loanConfig())
		table.Close()
		if err != nil {
			t.Fatal(source.name, err)
		}
		if !model.Summary("").Certified {
			t.Errorf("%s: not certified", source.name)
		}
		if got := bitsOf(model); want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%s: the model is %x, from structs %x", source.name, got, want)
		}
	}
}

func column[T any](loans []loan, of func(loan) T) []T {
	out := make([]T, len(loans))
	for i, l := range loans {
		out[i] = of(l)
	}
	return out
}

// Training runs that use one table at the same time, with different limits of threads, give the same bits as a run
// alone (go test -race).
func TestFitFrame_ConcurrentFitsAgree(t *testing.T) {
	table, err := data.FromStructs(newLoans(300))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := train.FitFrame(t.Context(), table, loanConfig())
	if err != nil {
		t.Fatal(err)
	}
	models := make(chan *train.Model)
	const fits = 6
	for k := range fits {
		go func() {
			cfg := loanConfig()
			cfg.Threads = k % 3
			m, err := train.FitFrame(t.Context(), table, cfg)
			if err != nil {
				t.Error(err)
			}
			models <- m
		}()
	}
	for range fits {
		if m := <-models; m != nil && !slices.Equal(bitsOf(m), bitsOf(alone)) {
			t.Errorf("the model is %x, alone %x", bitsOf(m), bitsOf(alone))
		}
	}
}

// If the context is cancelled, FitFrame returns its error and, if the robust solve has begun, the unfinished model;
// all goroutines end. Bounds that Observe receives never become worse.
func TestFitFrame_CancelledEndsEveryGoroutine(t *testing.T) {
	table, err := data.FromStructs(newLoans(2000))
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := loanConfig()
	cfg.Gap, cfg.NoBaseline = 1e-300, true // is never reached
	checks, gap := 0, math.Inf(1)
	cfg.Observe = func(p train.Progress) {
		if p.Phase != "robust" {
			return
		}
		if p.RelativeGap > gap {
			t.Errorf("the gap rises from %v to %v", gap, p.RelativeGap)
		}
		if gap = p.RelativeGap; checks == 2 {
			cancel()
		}
		checks++
	}
	model, err := train.FitFrame(ctx, table, cfg)
	if !errors.Is(err, context.Canceled) || model == nil || checks < 3 {
		t.Fatalf("%v, error %v after %d checks", model, err, checks)
	}
	if s := model.Summary(""); s.Certified || s.Status != "cancelled" ||
		!(*s.Certificate.Lower <= s.Objective) || !(s.Objective <= *s.Certificate.Upper) {
		t.Errorf("%+v", s.Certificate)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before the training %d", runtime.NumGoroutine(), before)
}

// A namedLoss is the squared loss under another name.
type namedLoss struct {
	losses.Squared
	name string
}

func (l namedLoss) Name() string { return l.name }

// Losses may be registered during training runs, which then find them by name (go test -race).
func TestRegister_WhileTrainingsRun(t *testing.T) {
	table, err := data.FromStructs(newLoans(200))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for k := range 8 {
		name := fmt.Sprintf("while-training-%d", k)
		group.Go(func() {
			cfg := loanConfig()
			if _, err := train.FitFrame(t.Context(), table, cfg); err != nil {
				t.Error(err)
			}
			cfg.Target, cfg.Loss = "years", name
			if _, err := train.FitFrame(t.Context(), table, cfg); err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("the error does not name the loss %s: %v", name, err)
			}
		})
		group.Go(func() {
			if err := losses.Register(namedLoss{name: name}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
