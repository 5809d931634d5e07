// Package nonsense calls the exported API with arguments of valid types that make no sense.
package nonsense

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A room is a package that programs can import. A call of its functions and methods may end in an error, but not in a
// panic, unless a doc comment states it.
type room struct {
	path      string
	functions map[string]any
	types     []reflect.Type // pointers to them
}

// hardened are the functions through which data of others pass, or that programs call first: they survive nil and
// values that no constructor made, too. Of the others the arguments are those of a Go program that keeps the language's
// conventions: no nil context, function, pointer or interface, and no literal of a type with fields that only its
// constructor can set.
var hardened = set(
	"losses.Register", "losses.KindOf", "losses.Parse", "losses.NewLinear", "losses.NewSoftmax", "losses.DefaultName",
	"losses.LinkNamed", "design.NewDense", "design.NewDense32", "design.NewSparse", "dro.Solve",
	"dro.Choose", "data.OpenReader", "data.ReadBytes", "data.NewFrame", "data.FromArrow", "encode.Target.Validate",
	"train.FitFrame", "train.ReadModel", "train.ReadConfig", "train.Config.Validate", "train.Model.Predict",
	"train.Model.PredictDataset", "train.Model.Formula", "train.Model.Scorer", "train.Model.UnmarshalJSON",
	"train.Model.Classes", "train.Model.Loss", "score.New", "score.Read", "score.Formula.Validate",
	"score.Scorer.Values", "score.Scorer.Map", "score.Scorer.Explain", "score.Scorer.Inputs", "export.Write",
	"eval.ParseGate", "eval.Gate.Check", "eval.LossOfScores", "eval.Evaluate")

// notCalled are functions and types whose arguments only a solver, a job of several ranks or a database makes; their
// packages test them.
var notCalled = set("Newton.Start", "LBFGS.Start", "FullVector.Start", "SeparableBlock.Start", "Stochastic.Start",
	"FromRows", "NewSharded", "Sharded")

// set returns a set of names.
func set(names ...string) map[string]bool {
	of := map[string]bool{}
	for _, name := range names {
		of[name] = true
	}
	return of
}

// An entry is a function or a method with its receiver as the first argument.
type entry struct {
	of   string // the function, or the type of the method
	name string // as Solve or Model.Predict
	call reflect.Value
}

// entries returns what the room exports, by name.
func (r *room) entries() (all []entry) {
	for name, f := range r.functions {
		all = append(all, entry{name, name, reflect.ValueOf(f)})
	}
	for _, t := range r.types {
		name, _, _ := strings.Cut(t.Elem().Name(), "[") // of a generic type
		for i := range t.NumMethod() {
			all = append(all, entry{name, name + "." + t.Method(i).Name, t.Method(i).Func})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return all
}

// states reports whether a comment has some words, perhaps over two lines.
func states(comment *ast.CommentGroup, words string) bool {
	return strings.Contains(strings.Join(strings.Fields(comment.Text()), " "), words)
}

// statedPanics returns the functions and methods of a package whose doc comment states a panic, as the names of
// entries, and the types whose comment states it for their methods.
func statedPanics(t *testing.T, dir string) map[string]bool {
	t.Helper()
	stated := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if name, ok := statesPanic(decl); ok {
				stated[name] = true
			}
		}
	}
	return stated
}

// statesPanic returns the name of a function or a type, and whether its comment states a panic.
func statesPanic(decl ast.Decl) (name string, ok bool) {
	switch d := decl.(type) {
	case *ast.GenDecl:
		if of, isType := d.Specs[0].(*ast.TypeSpec); isType && len(d.Specs) == 1 {
			return of.Name.Name, states(d.Doc, "methods panic")
		}
	case *ast.FuncDecl:
		name = d.Name.Name
		if d.Recv != nil {
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			name = fmt.Sprint(of) + "." + name
		}
		return name, states(d.Doc, "panics")
	}
	return "", false
}

// No exported function panics for arguments of valid types, whatever they say, unless its comment states it.
func TestExported_SurviveNonsense(t *testing.T) {
	calls := 2000
	if testing.Short() {
		calls = 400
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where files are written
	sound := soundValues(t)
	for _, r := range exported {
		t.Run(r.path, func(t *testing.T) {
			stated := statedPanics(t, filepath.Join(root, filepath.FromSlash(r.path)))
			all := r.entries()
			d := drawer{Rand: rand.New(rand.NewPCG(1, 2)), known: maps.Clone(sound)}
			seen, called := map[string]bool{}, map[string]int{}
			for k := range max(calls, 8*len(all)) {
				e := all[k%len(all)]
				d.hard = hardened[path.Base(r.path)+"."+e.name]
				what, ok := d.try(e.call)
				if ok {
					called[e.name]++
				}
				if what != "" && !stated[e.name] && !stated[e.of] && !seen[e.name+what] {
					seen[e.name+what] = true
					t.Errorf("%s panics: %s", e.name, what)
				}
			}
			for _, e := range all {
				if called[e.name] == 0 && !notCalled[e.name] && !notCalled[e.of] {
					t.Errorf("%s is never called: no argument is known for it", e.name)
				}
			}
		})
	}
}

// try calls a function with drawn arguments and returns its panic, or "", and whether there were arguments for it. Its
// results may be arguments of later calls.
func (d *drawer) try(f reflect.Value) (what string, ok bool) {
	of := f.Type()
	var in []reflect.Value
	for i := range of.NumIn() {
		t, times := of.In(i), 1
		if of.IsVariadic() && i == of.NumIn()-1 {
			t, times = t.Elem(), d.IntN(4)
		}
		for range times {
			v, ok := d.value(t, 4)
			if i == 0 && ok && v.Kind() == reflect.Pointer && v.IsNil() { // no method is called on nil
				v = reflect.New(t.Elem())
			}
			if !ok {
				return "", false
			}
			in = append(in, v)
		}
	}
	defer func() {
		if v := recover(); v != nil && v != callersBug {
			what, ok = fmt.Sprintf("%v, at %s", numbers.ReplaceAllString(fmt.Sprint(v), "#"), site()), true
		}
	}()
	for _, v := range f.Call(in) {
		d.learn(v, 1)
	}
	return "", true
}

// numbers are told apart in no message.
var numbers = regexp.MustCompile(`-?\d+`)

// site returns the innermost place in the module that the panic went through.
func site() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(4, pc)])
	for {
		frame, more := frames.Next()
		if _, at, ok := strings.Cut(frame.Function, "drotrain/drotrain/"); ok && !strings.Contains(at, "nonsense") {
			return fmt.Sprintf("%s (%s:%d)", at, filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

var background = context.Background()
