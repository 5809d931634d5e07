package layers

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// isInternal reports whether programs outside the module cannot import a package.
func isInternal(path string) bool {
	return strings.HasPrefix(path, module) && slices.Contains(strings.Split(path, "/"), "internal")
}

// An apiWalk collects the internal types that the exported API of a package mentions.
type apiWalk struct {
	of    *types.Package
	seen  map[types.Type]bool
	found []string
}

// visit follows a type that a caller sees at where.
func (w *apiWalk) visit(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if p := t.Obj().Pkg(); p != nil && p != w.of && isInternal(p.Path()) {
			w.found = append(w.found, fmt.Sprintf("%s mentions %s", where, t))
			return
		}
		w.arguments(where, t.TypeArgs())
		if t.Obj().Pkg() == w.of && !w.seen[t] {
			w.seen[t] = true
			w.visit(where, t.Rhs())
		}
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && isInternal(p.Path()) {
			w.found = append(w.found, fmt.Sprintf("%s mentions %s", where, t))
			return
		}
		w.arguments(where, t.TypeArgs())
	case *types.Pointer:
		w.visit(where, t.Elem())
	case *types.Slice:
		w.visit(where, t.Elem())
	case *types.Array:
		w.visit(where, t.Elem())
	case *types.Chan:
		w.visit(where, t.Elem())
	case *types.Map:
		w.visit(where, t.Key())
		w.visit(where, t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(where, v.Type())
		}
	case *types.Signature:
		w.visit(where, t.Params())
		w.visit(where, t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.visit(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.visit(where+"."+m.Name(), m.Type())
			}
		}
	}
}

// arguments follows the arguments of a generic type.
func (w *apiWalk) arguments(where string, of *types.TypeList) {
	for t := range of.Types() {
		w.visit(where, t)
	}
}

// object follows an exported object of the package.
func (w *apiWalk) object(o types.Object) {
	w.visit(o.Name(), o.Type())
	named, ok := o.Type().(*types.Named)
	if _, isType := o.(*types.TypeName); !ok || !isType {
		return
	}
	w.visit(o.Name(), named.Underlying())
	for _, m := range typesMethods(named) {
		w.visit(o.Name()+"."+m.Name(), m.Type())
	}
}

// typesMethods returns the exported methods of a type and of the pointer to it, those of embedded fields included.
func typesMethods(t *types.Named) (methods []*types.Func) {
	set := types.NewMethodSet(types.NewPointer(t))
	for m := range set.Methods() {
		if f, ok := m.Obj().(*types.Func); ok && f.Exported() {
			methods = append(methods, f)
		}
	}
	return methods
}

// A caller cannot look up what an internal type has, nor make one.
func TestExportedAPI_MentionsNoInternalTypes(t *testing.T) {
	identifiers := 0
	var all []string
	for _, pkg := range publicPackages(t) {
		w := &apiWalk{of: pkg, seen: map[types.Type]bool{}}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				identifiers++
				w.object(o)
			}
		}
		for _, f := range w.found {
			all = append(all, strings.TrimPrefix(pkg.Path(), module)+": "+f)
		}
	}
	slices.Sort(all)
	if len(all) > 0 {
		t.Errorf("%d references to internal types:\n%s", len(all), strings.Join(all, "\n"))
	}
	t.Logf("%d exported identifiers", identifiers)
	if identifiers < 500 {
		t.Errorf("only %d exported identifiers seen", identifiers)
	}
}
