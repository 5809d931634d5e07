package drotest

import (
	"fmt"
	"math"
	"reflect"
)

// Differences lists where two values of the same type hold different bits, as the path of
// "Type.field" of the structs on the way. It follows pointers, interfaces and slices, and
// fields that nothing exports; functions, channels and the paths that are exempt are passed
// over.
func Differences(a, b any, exempt func(path string) bool) (fields []string) {
	w := stateWalk{exempt: exempt, said: map[string]bool{}, seen: map[[2]uintptr]bool{}}
	w.walk("", reflect.ValueOf(a), reflect.ValueOf(b))
	return w.fields
}

type stateWalk struct {
	exempt func(string) bool
	said   map[string]bool
	seen   map[[2]uintptr]bool
	fields []string
}

func (w *stateWalk) differ(at string) {
	if !w.said[at] {
		w.said[at] = true
		w.fields = append(w.fields, at)
	}
}

func (w *stateWalk) walk(at string, a, b reflect.Value) {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		w.differ(at)
		return
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				w.differ(at)
			}
			return
		}
		if a.Kind() == reflect.Pointer {
			pair := [2]uintptr{a.Pointer(), b.Pointer()}
			if pair[0] == pair[1] || w.seen[pair] {
				return
			}
			w.seen[pair] = true
		}
		w.walk(at, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			path := fmt.Sprintf("%s/%s.%s", at, a.Type().Name(), a.Type().Field(i).Name)
			if !w.exempt(path) {
				w.walk(path, a.Field(i), b.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			w.differ(at)
			return
		}
		for i := range a.Len() {
			w.walk(at, a.Index(i), b.Index(i))
		}
	case reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			w.differ(at)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if a.Int() != b.Int() {
			w.differ(at)
		}
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		if a.Uint() != b.Uint() {
			w.differ(at)
		}
	case reflect.Bool:
		if a.Bool() != b.Bool() {
			w.differ(at)
		}
	case reflect.String:
		if a.String() != b.String() {
			w.differ(at)
		}
	case reflect.Map:
		if a.Len() != b.Len() {
			w.differ(at)
		}
	}
}
