package data

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// cellsOf returns the values of a column as texts, "null" for a null.
func cellsOf(t *testing.T, f *Frame, name string) string {
	t.Helper()
	c, err := f.Column(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range f.Rows {
		switch {
		case c.IsNull(i):
			out = append(out, "null")
		case c.Clock:
			out = append(out, fmt.Sprint(c.Number[i]))
		default:
			out = append(out, c.Text(i))
		}
	}
	return c.Kind.String() + ": " + strings.Join(out, " ")
}

func TestFromRecords_Values(t *testing.T) {
	age := int8(7)
	day := time.Date(2024, 9, 11, 12, 0, 0, 0, time.UTC)
	f, err := FromRecords([]map[string]any{
		{"n": 1, "x": json.Number("1.5"), "text": "a", "yes": true, "day": nil, "age": &age, "null": sql.NullString{},
			"none": nil},
		{"n": 2.5, "x": json.Number("9007199254740993"), "text": nil, "yes": false, "day": day, "age": (*int8)(nil),
			"null": sql.NullString{String: "b", Valid: true}},
		{"n": uint8(3), "x": nil, "text": []byte("c"), "day": &day, "age": int64(9),
			"null": sql.Null[string]{V: "d", Valid: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Names(), " "); got != "age day n none null text x yes" || f.Rows != 3 {
		t.Errorf("%d rows of %s", f.Rows, got)
	}
	for name, want := range map[string]string{
		"n": "numeric: 1 2.5 3", "x": "numeric: 1.5 9.007199254740992e+15 null", "text": "categorical: a null c",
		"yes": "bool: true false null",
		"day": "numeric: null 19977.5 19977.5", "age": "numeric: 7 null 9", "null": "categorical: null b d",
		"none": "categorical: null null null",
	} {
		if got := cellsOf(t, f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	x, _ := f.Lookup("x")
	if day, _ := f.Lookup("day"); !day.Clock || x.InexactRow != 2 {
		t.Errorf("clock %v, inexact row %d", day.Clock, x.InexactRow)
	}
	if n, _ := f.Lookup("n"); n.Integer {
		t.Error("2.5 is an integer")
	}
	if age, _ := f.Lookup("age"); !age.Integer {
		t.Error("ages are not integers")
	}
}

func TestFromRecords_Errors(t *testing.T) {
	for want, values := range map[string][]any{
		`column "v", row 3: the value x is text, but an earlier value is a number`: {1, nil, "x"},
		`column "v", row 2: the value 1 is a number, but an earlier value is text`: {"x", 1},
		`column "v", row 2: the value true is a bool`:                              {time.Now(), true},
		`column "v", row 1: values of type []int are not supported`:                {[]int{1}},
		`column "v", row 1: "one" is not a number`:                                 {json.Number("one")},
	} {
		var records []map[string]any
		for _, v := range values {
			records = append(records, map[string]any{"v": v})
		}
		_, err := FromRecords(records)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", values, err, want)
		}
	}
}

func TestFromStructs_TimesAndNullTypes(t *testing.T) {
	type event struct {
		At    time.Time        `drotrain:"at"`
		Late  *time.Time       `drotrain:"late"`
		Pay   sql.NullFloat64  `drotrain:"pay"`
		Name  sql.Null[string] `drotrain:"name"`
		Count json.Number      `drotrain:"count"`
	}
	at := time.Date(1970, 1, 3, 0, 0, 0, 0, time.UTC)
	f, err := FromStructs([]event{{At: at, Count: "3"},
		{at, &at, sql.NullFloat64{Float64: 1.5, Valid: true}, sql.Null[string]{V: "a", Valid: true}, "4"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"at": "numeric: 2 2", "late": "numeric: null 2", "pay": "numeric: null 1.5",
		"name": "categorical: null a", "count": "numeric: 3 4"} {
		if got := cellsOf(t, f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A fixedRows is the result of every query to the driver of this test.
type fixedRows struct {
	names, types []string
	rows         [][]driver.Value
	next         int
	fails        bool
}

func (r *fixedRows) Columns() []string                       { return r.names }
func (r *fixedRows) ColumnTypeDatabaseTypeName(i int) string { return r.types[i] }
func (r *fixedRows) Close() error                            { return nil }
func (r *fixedRows) Next(dest []driver.Value) error {
	if r.next == len(r.rows) {
		if r.fails {
			return errors.New("connection lost")
		}
		return io.EOF
	}
	copy(dest, r.rows[r.next])
	r.next++
	return nil
}

type fixedDriver struct{ rows *fixedRows }

func (d *fixedDriver) Open(string) (driver.Conn, error)                   { return d, nil }
func (d *fixedDriver) Prepare(string) (driver.Stmt, error)                { return d, nil }
func (d *fixedDriver) Close() error                                       { return nil }
func (d *fixedDriver) Begin() (driver.Tx, error)                          { return nil, errors.New("no transactions") }
func (d *fixedDriver) NumInput() int                                      { return 0 }
func (d *fixedDriver) Exec([]driver.Value) (driver.Result, error)         { return nil, errors.New("no exec") }
func (d *fixedDriver) Query([]driver.Value) (rows driver.Rows, err error) { return d.rows, nil }

func TestFromRows_EqualsTheTable(t *testing.T) {
	fixed := &fixedDriver{}
	sql.Register("fixed", fixed)
	db, err := sql.Open("fixed", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	query := func(r *fixedRows) (*Frame, error) {
		fixed.rows = r
		rows, err := db.Query("select")
		if err != nil {
			t.Fatal(err)
		}
		return FromRows(rows)
	}
	f, err := query(&fixedRows{names: []string{"id", "price", "name", "id", "at"},
		types: []string{"INT", "DECIMAL(10,2)", "TEXT", "INT", "TIMESTAMP"}, rows: [][]driver.Value{
			{int64(1), []byte("12.50"), []byte("a"), nil, time.Unix(0, 0)},
			{int64(2), nil, "b", int64(3), time.Unix(86400, 0)},
		}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"id": "numeric: 1 2", "price": "numeric: 12.5 null",
		"name": "categorical: a b", "id.1": "numeric: null 3", "at": "numeric: 0 1"} {
		if got := cellsOf(t, f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(f.Notes) == 0 {
		t.Error("no note on the column that was renamed")
	}
	if _, err := query(&fixedRows{names: []string{"p"}, types: []string{"NUMERIC"},
		rows: [][]driver.Value{{"1"}, {"many"}}}); err == nil ||
		!strings.Contains(err.Error(), `column "p", row 2: "many" is not a number`) {
		t.Error(err)
	}
	if _, err := query(&fixedRows{names: []string{"p"}, types: []string{"INT"}, rows: [][]driver.Value{{int64(1)}},
		fails: true}); err == nil || !strings.Contains(err.Error(), "connection lost") {
		t.Error(err)
	}
	if f, err := query(&fixedRows{names: []string{"p"}, types: []string{"FLOAT"},
		rows: [][]driver.Value{{math.NaN()}}}); err != nil || f.Rows != 1 {
		t.Errorf("NaN is kept for the training to refuse by its row: %v", err)
	}
}

// The kind of a column is decided without a value where the type decides it; times and Null types are columns
// of ColumnOf, too.
func TestColumnOf_Kinds(t *testing.T) {
	at := time.Unix(86400, 0)
	if c, err := ColumnOf("t", []*time.Time{nil, &at}); err != nil || c.Kind != Numeric || !c.Clock || !c.IsNull(0) ||
		c.Number[1] != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := ColumnOf("n", []*int{nil}); err != nil || c.Kind != Numeric || !c.Integer || !c.IsNull(0) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := ColumnOf("s", []sql.NullString{{}}); err != nil || c.Kind != Categorical || c.Type != "null" ||
		c.Code[0] != -1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := ColumnOf("j", []json.Number{"", "2"}); err != nil || c.Kind != Numeric || !c.IsNull(0) ||
		c.Number[1] != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}
