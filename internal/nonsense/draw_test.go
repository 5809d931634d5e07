package nonsense

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/score"
	"github.com/drotrain/drotrain/verify"
)

// A drawer draws arguments, and keeps values of types whose fields a caller cannot set.
type drawer struct {
	*rand.Rand
	known map[reflect.Type][]reflect.Value
	hard  bool // nil and literals of any type, too
}

// number draws a number that is rarely a sensible one.
func (d *drawer) number() float64 {
	return []float64{0, 1, -1, 2, 0.5, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 7}[d.IntN(12)]
}

// callersBug is the panic of a reader or a function of the caller, which reaches the caller again.
const callersBug = "a bug of the caller"

// readerFunc is a reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// isOurs reports whether a type is declared by the module.
func isOurs(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "github.com/drotrain/drotrain/")
}

// learn keeps a value, and those in its exported fields, as an argument of later calls.
func (d *drawer) learn(v reflect.Value, depth int) {
	t := v.Type()
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() || v.Kind() == reflect.Interface && !isOurs(v.Elem().Type()) && v.Elem().Kind() != reflect.Pointer {
			return
		}
		if v.Kind() == reflect.Interface {
			d.learn(v.Elem(), depth)
			return
		}
		if isOurs(t.Elem()) && len(d.known[t]) < 8 {
			d.known[t] = append(slices.Clip(d.known[t]), v)
		}
		if isOurs(t.Elem()) {
			d.learn(v.Elem(), depth)
		}
	case reflect.Struct:
		if !isOurs(t) || len(d.known[t]) >= 8 {
			return
		}
		d.known[t] = append(slices.Clip(d.known[t]), v)
		for i := range v.NumField() {
			if t.Field(i).IsExported() && depth > 0 {
				d.learn(v.Field(i), depth-1)
			}
		}
	case reflect.Slice:
		if v.Len() > 0 && depth > 0 {
			d.learn(v.Index(0), depth-1)
		}
	}
}

// settings are structs that programs fill in, although some of their fields are the package's own.
var settings = map[reflect.Type]bool{
	reflect.TypeFor[train.Config](): true, reflect.TypeFor[train.BlockOptions](): true,
	reflect.TypeFor[eval.Input]():     true,
	reflect.TypeFor[report.Options](): true, reflect.TypeFor[table.DenseVector](): true,
}

// isOpaque reports whether only its package makes a struct: it has fields of its own.
func isOpaque(of reflect.Type) bool {
	if settings[of] {
		return false
	}
	for i := range of.NumField() {
		if !of.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// value draws a value of a type. ok is false where only the library can make one and none is known.
func (d *drawer) value(of reflect.Type, depth int) (v reflect.Value, ok bool) {
	v = reflect.New(of).Elem()
	if known := d.known[of]; len(known) > 0 && d.IntN(3) > 0 {
		v.Set(known[d.IntN(len(known))])
		if of.Kind() == reflect.Struct && of.NumField() > 0 && !isOpaque(of) && d.IntN(2) == 0 {
			d.set(v.Field(d.IntN(of.NumField())), depth)
		}
		return v, true
	}
	switch of.Kind() {
	case reflect.Float64, reflect.Float32:
		v.SetFloat(d.number())
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		v.SetInt([]int64{0, 1, -1, 2, 3, 127}[d.IntN(6)])
	case reflect.Uint8, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint:
		v.SetUint(uint64(d.IntN(9)))
	case reflect.Bool:
		v.SetBool(d.IntN(2) == 0)
	case reflect.String:
		v.SetString([]string{"", "x", "y", "logistic", "quantile:0.5", "risk > 0", "\x00", "kl", "{}", "piecewise", "a:b",
			"erm", "accuracy", "binary"}[d.IntN(14)])
	case reflect.Slice:
		d.setSlice(v, depth)
	case reflect.Array:
		for i := range v.Len() {
			d.set(v.Index(i), depth)
		}
	case reflect.Map:
		key, value := reflect.New(of.Key()).Elem(), reflect.New(of.Elem()).Elem()
		if d.IntN(2) == 0 && d.set(key, depth) && d.set(value, depth) {
			v.Set(reflect.MakeMap(of))
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		return v, d.setPointer(v, depth)
	case reflect.Struct:
		if isOpaque(of) && isOurs(of) && d.hard {
			return v, true // the zero value
		}
		if isOpaque(of) && isOurs(of) {
			return d.oneKnown(of)
		}
		for i := range v.NumField() {
			if d.IntN(2) == 0 {
				d.set(v.Field(i), depth)
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) (results []reflect.Value) {
			for i := range of.NumOut() {
				results = append(results, reflect.Zero(of.Out(i)))
			}
			return results
		}))
	case reflect.Interface:
		d.setInterface(v)
		return v, d.hard || !v.IsNil() || of == reflect.TypeFor[error]()
	}
	return v, true
}

// set sets a field or an element, where it can be, and reports whether it did.
func (d *drawer) set(v reflect.Value, depth int) bool {
	if !v.CanSet() || depth == 0 {
		return false
	}
	drawn, ok := d.value(v.Type(), depth-1)
	if ok {
		v.Set(drawn)
	}
	return ok
}

// setSlice sets a slice to a few elements, or leaves it nil.
func (d *drawer) setSlice(v reflect.Value, depth int) {
	if d.IntN(4) == 0 {
		return
	}
	n, k := d.IntN(5), v.Type().Elem().Kind()
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		canBeNil := k == reflect.Pointer || k == reflect.Interface
		if !d.set(v.Index(i), depth) && !d.hard && canBeNil {
			v.SetLen(i) // no nil among them
			return
		}
	}
}

// setPointer sets a pointer to a new value and reports whether the pointer may be used.
func (d *drawer) setPointer(v reflect.Value, depth int) bool {
	elem := v.Type().Elem()
	if elem.Kind() == reflect.Struct && isOpaque(elem) && (!d.hard || !isOurs(elem)) {
		known, ok := d.oneKnown(v.Type())
		v.Set(known)
		return ok
	}
	if (d.hard || elem.Kind() != reflect.Struct) && d.IntN(3) == 0 { // no struct
		return true
	}
	target := reflect.New(elem)
	d.set(target.Elem(), depth)
	v.Set(target)
	return true
}

// oneKnown returns a value that the library made.
func (d *drawer) oneKnown(of reflect.Type) (v reflect.Value, ok bool) {
	if known := d.known[of]; len(known) > 0 {
		return known[d.IntN(len(known))], true
	}
	if known := d.known[reflect.PointerTo(of)]; len(known) > 0 {
		return known[d.IntN(len(known))].Elem(), true
	}
	if of.Kind() == reflect.Pointer && len(d.known[of.Elem()]) > 0 {
		v, target := d.known[of.Elem()], reflect.New(of.Elem())
		target.Elem().Set(v[d.IntN(len(v))])
		return target, true
	}
	return reflect.Zero(of), false
}

// setInterface sets an interface to one of its implementations, or leaves it nil.
func (d *drawer) setInterface(v reflect.Value) {
	dense, _ := design.NewDense(2, 1, []float64{1, 2})
	linear, _ := losses.NewLinear(losses.Squared{}, dense, []float64{1, 2})
	ended, cancel := context.WithCancel(background)
	cancel()
	all := []any{
		ended, background, losses.Squared{}, losses.Quantile{Level: math.NaN()}, losses.Huber{}, dense, linear,
		dro.KL{}, dro.KL{Nu: 1, Weights: []float64{1}},
		dro.ChiSquare{Alpha: 2}, dro.Ball{}, primaldual.Box{}, primaldual.Box{Upper: 1,
			Nu: 1}, primaldual.Orthant{Cap: 1}, primaldual.FullVector{}, dro.Uniform{}, dro.L2{},
		dro.L2{Mu: 1, Intercept: true, Classes: 5}, dro.Entropy{}, dro.Newton{},
		&bytes.Buffer{}, bytes.NewReader([]byte("a,b\n1,2\n")),
		readerFunc(func([]byte) (int, error) { panic(callersBug) }), readerFunc(
			func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }), 1.5, "x", nil,
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, x := range all {
		if x == nil {
			if d.hard {
				return
			}
			continue
		}
		if reflect.TypeOf(x).Implements(v.Type()) {
			v.Set(reflect.ValueOf(x))
			return
		}
	}
}

// A row is a row of a table, and the type that stands for type parameters.
type row struct {
	X float64
	G string
	Y bool
}

// soundValues returns a small table, a model of it, what was measured of it, and all that is in them, and values of the
// other types that only the library makes.
func soundValues(t *testing.T) map[reflect.Type][]reflect.Value {
	t.Helper()
	d := drawer{known: map[reflect.Type][]reflect.Value{}}
	// known keeps values; an error among them ends the test.
	known := func(values ...any) {
		for _, v := range values {
			if err, ok := v.(error); ok {
				t.Fatal(err)
			}
			if v != nil {
				d.learn(reflect.ValueOf(v), 6)
			}
		}
	}
	var rows []row
	for i := range 40 {
		rows = append(rows, row{float64(i * i % 7), string(rune('a' + i%3)), i*i%7+i%5 > 4})
	}
	frame, err := data.FromStructs(rows)
	known(frame, err)
	known(frame.Exact(background, []string{"X"}))
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Groups, cfg.Nu, cfg.KeepRows, cfg.KeepProof = "Y", []string{"G"}, level.At(1), true, true
	model, err := train.FitFrame(background, frame, cfg)
	known(cfg, model, err)
	known(model.Formula())
	known(model.Scorer())
	measured, err := report.Measure(background, model, report.DefaultOptions())
	known(measured, err)
	measurements, err := measured.Report()
	known(measurements, err)
	known(page.Figures(measurements))
	scorer, err := model.Scorer()
	known(err)
	known(score.Of[row](scorer))

	text, err := json.Marshal(model)
	known(err)
	known(verify.ReadModel(text))
	proof, err := model.Prove(background)
	known(err)
	known(proof)

	arena, err := memory.NewArena(t.TempDir(), 1<<20)
	known(arena, memory.NewVirtual(), err)
	t.Cleanup(func() { arena.Close() })
	dense, err := design.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	known(dense, err)
	known(design.NewDense32(4, 2, []float32{1, 2, 3, 4, 5, 6, 7, 8}))
	known(design.NewSparse(2, 2, []int{0, 1, 2}, []int32{0, 1}, []float64{3, 4}))
	known(design.NewMapped(dense, memory.NewVirtual(), 1<<20, nil))
	known(losses.NewLinear(losses.Logistic{}, dense, []float64{1, -1, 1, -1}))
	known(losses.NewSoftmax(dense, []int{0, 1, 2, 1}, 3))
	logger := reflect.ValueOf(slog.New(slog.DiscardHandler))
	d.known[logger.Type()] = []reflect.Value{logger}
	known(&train.BlockOptions{}, &encode.TrainingRows{})
	known(&table.Buffers{}, &table.SparseBuilder{},
		&table.DenseVector{Rows: 2, Width: 1, Element: table.Element{Size: 1},
			From: bytes.NewReader(make([]byte, 2))})
	return d.known
}
