// Package nonsense calls the exported functions of the library with arguments of valid types that make no sense.
package nonsense

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// functions are called with nonsense: an error is right, and a panic is not.
var functions = map[string][]any{
	"losses": {losses.Register, losses.KindOf, losses.Parse, losses.NewLinear, losses.NewSoftmax, losses.DefaultName,
		losses.LinkNamed, losses.Either},
	"design": {design.NewDense, design.NewDense32, design.NewSparse},
	"dro":    {dro.Solve, dro.Choose},
	"data":   {data.OpenReader, data.ReadBytes, data.NewFrame, data.FromArrow, encode.Target.Validate},
	"train": {
		train.FitFrame, train.ReadModel, train.ReadConfig, (*train.Config).Validate, (*train.Model).Predict,
		(*train.Model).PredictDataset,
		(*train.Model).Formula, (*train.Model).Scorer, (*train.Model).UnmarshalJSON, (*train.Model).Classes,
		(*train.Model).Loss,
	},
	"score": {score.New, score.Read, (*score.Formula).Validate, (*score.Scorer).Values, (*score.Scorer).Map,
		(*score.Scorer).Explain, (*score.Scorer).Inputs},
	"export": {export.Write},
	"eval":   {eval.ParseGate, eval.Gate.Check, eval.LossOfScores, eval.Evaluate},
}

// A drawer draws arguments.
type drawer struct{ *rand.Rand }

// number draws a number that is rarely a sensible one.
func (d drawer) number() float64 {
	return []float64{0, 1, -1, 2, 0.5, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 7}[d.IntN(12)]
}

const readerBug = "reader bug"

// readerFunc is a reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// value draws a value of a type.
func (d drawer) value(of reflect.Type, depth int) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Float64, reflect.Float32:
		v.SetFloat(d.number())
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int8:
		v.SetInt([]int64{0, 1, -1, 2, 3, 127}[d.IntN(6)])
	case reflect.Uint8, reflect.Uint64, reflect.Uint32, reflect.Uint:
		v.SetUint(uint64(d.IntN(9)))
	case reflect.Bool:
		v.SetBool(d.IntN(2) == 0)
	case reflect.String:
		v.SetString([]string{"", "x", "logistic", "quantile:0.5", "risk > 0", "\x00", "kl", "{}", "piecewise",
			"a:b"}[d.IntN(10)])
	case reflect.Slice:
		if d.IntN(4) > 0 {
			n := d.IntN(5)
			v.Set(reflect.MakeSlice(of, n, n))
			for i := range n {
				if depth > 0 {
					v.Index(i).Set(d.value(of.Elem(), depth-1))
				}
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(d.value(of.Elem(), depth-1))
		}
	case reflect.Map:
		if d.IntN(2) == 0 && depth > 0 {
			v.Set(reflect.MakeMap(of))
			v.SetMapIndex(d.value(of.Key(), depth-1), d.value(of.Elem(), depth-1))
		}
	case reflect.Pointer:
		if d.IntN(3) > 0 && depth > 0 {
			v.Set(reflect.New(of.Elem()))
			v.Elem().Set(d.value(of.Elem(), depth-1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && depth > 0 && d.IntN(2) == 0 {
				v.Field(i).Set(d.value(of.Field(i).Type, depth-1))
			}
		}
	case reflect.Interface:
		d.setInterface(v)
	}
	return v
}

// setInterface sets an interface to one of its implementations, or leaves it nil.
func (d drawer) setInterface(v reflect.Value) {
	dense, _ := design.NewDense(2, 1, []float64{1, 2})
	linear, _ := losses.NewLinear(losses.Squared{}, dense, []float64{1, 2})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	all := []any{
		ended, context.Background(), losses.Squared{}, losses.Quantile{Level: math.NaN()}, losses.Huber{}, dense, linear,
		dro.KL{}, dro.KL{Nu: 1, Weights: []float64{1}},
		dro.ChiSquare{Alpha: 2}, dro.Ball{}, primaldual.Box{}, primaldual.Box{Upper: 1,
			Nu: 1}, primaldual.Orthant{Cap: 1}, primaldual.FullVector{}, dro.Uniform{}, dro.L2{},
		dro.L2{Mu: 1, Intercept: true, Classes: 5}, dro.Entropy{}, dro.Newton{},
		&bytes.Buffer{}, readerFunc(func([]byte) (int, error) { panic(readerBug) }), readerFunc(
			func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }), 1.5, "x", nil,
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, x := range all {
		if x == nil {
			return
		}
		if reflect.TypeOf(x).Implements(v.Type()) {
			v.Set(reflect.ValueOf(x))
			return
		}
	}
}

// No exported function panics for arguments of valid types, whatever they say.
func TestExported_SurviveNonsense(t *testing.T) {
	calls := 2000
	if testing.Short() {
		calls = 400
	}
	for name, all := range functions {
		t.Run(name, func(t *testing.T) {
			d, seen := drawer{rand.New(rand.NewPCG(1, 2))}, map[string]bool{}
			for k := range calls {
				f := reflect.ValueOf(all[k%len(all)])
				if what := call(d, f); what != "" && !seen[what] {
					seen[what] = true
					t.Errorf("%v: %s", f.Type(), what)
				}
			}
		})
	}
}

// call calls a function and returns its panic, or "".
func call(d drawer, f reflect.Value) (what string) {
	of := f.Type()
	var in []reflect.Value
	for i := range of.NumIn() {
		if of.IsVariadic() && i == of.NumIn()-1 {
			for range d.IntN(4) {
				in = append(in, d.value(of.In(i).Elem(), 4))
			}
			continue
		}
		v := d.value(of.In(i), 4)
		if i == 0 && v.Kind() == reflect.Pointer && v.IsNil() { // no method is called on nil
			v = reflect.New(of.In(i).Elem())
		}
		in = append(in, v)
	}
	defer func() {
		if v := recover(); v != nil && v != readerBug { // that of a reader reaches its owner
			what = fmt.Sprintf("panic: %v", v)
		}
	}()
	f.Call(in)
	return ""
}
