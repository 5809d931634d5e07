package dro

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages below dro, each with those of them that its code may import:
// one way, no circle. doc.go draws the same map.
var layers = []struct {
	name string
	may  []string
}{
	{"vec", nil},
	{"sampling", []string{"vec"}},
	{"saddle", []string{"vec", "sampling"}},
	{"drotest", []string{"vec", "sampling", "saddle"}},
	{"side", []string{"vec", "sampling", "saddle"}},
	{"hessian", []string{"vec", "sampling", "saddle"}},
	{"bound", []string{"vec", "sampling", "saddle", "hessian"}},
	{"template", []string{"vec", "sampling", "saddle", "hessian", "bound"}},
	{"newton", []string{"vec", "sampling", "saddle", "hessian", "bound"}},
	{"", []string{"vec", "sampling", "saddle", "side", "hessian", "bound", "template", "newton"}},
}

func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/drotrain/drotrain/"
	entries, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(layers)-1 {
		t.Errorf("%d folders below internal, %d in the table", len(entries), len(layers)-1)
	}
	var below []string
	for _, l := range layers {
		for _, name := range l.may {
			if !slices.Contains(below, name) {
				t.Errorf("the table lets %q import %q, which does not come before it", l.name, name)
			}
		}
		below = append(below, l.name)
		dir := "."
		if l.name != "" {
			dir = filepath.Join("internal", l.name)
			if _, err := os.Stat(filepath.Join(dir, "doc.go")); err != nil {
				t.Error(err)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, im := range f.Imports {
				path, _ := strconv.Unquote(im.Path.Value)
				own, ok := strings.CutPrefix(path, module)
				if !ok {
					continue
				}
				name, inside := strings.CutPrefix(own, "dro/internal/")
				switch {
				case inside && !slices.Contains(l.may, name):
					t.Errorf("%s imports %s, which is not below it", file, path)
				case !inside && !strings.HasPrefix(own, "internal/") && l.name != "drotest":
					t.Errorf("%s imports %s: dro stands on internal/ alone", file, path)
				}
			}
		}
	}
}

// contracts is the file with every interface of dro.
const contracts = "internal/saddle/contracts.go"

// eachFile calls f on the files of dro but for tests.
func eachFile(t *testing.T, f func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	for _, pattern := range []string{"*.go", "internal/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			f(filepath.ToSlash(path), set, file)
		}
	}
}

// Every interface of dro is one of the contracts: of problems, or of methods.
func TestContractsAreInOnePlace(t *testing.T) {
	eachFile(t, func(path string, set *token.FileSet, file *ast.File) {
		if path == contracts {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok && len(i.Methods.List) > 0 {
				t.Errorf("%s: an interface outside of %s", set.Position(i.Pos()), contracts)
			}
			return true
		})
	})
}

// Abilities are asked for by saddle.Ability, and nothing is asserted: a type assertion has two
// values, and none is to one of the contracts.
func TestNothingIsAsserted(t *testing.T) {
	declared, assertions := map[string]bool{}, 0
	eachFile(t, func(path string, _ *token.FileSet, file *ast.File) {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && path == contracts {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						declared[s.Name.Name] = true
					}
				}
			}
		}
	})
	named := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name
		case *ast.SelectorExpr:
			return e.Sel.Name
		}
		return ""
	}
	eachFile(t, func(path string, set *token.FileSet, file *ast.File) {
		two := map[ast.Expr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
					two[n.Rhs[0]] = true
				}
			case *ast.ValueSpec:
				if len(n.Names) == 2 && len(n.Values) == 1 {
					two[n.Values[0]] = true
				}
			case *ast.TypeAssertExpr:
				if n.Type == nil { // a switch
					break
				}
				if assertions++; !two[n] {
					t.Errorf("%s: an assertion, which panics", set.Position(n.Pos()))
				}
				if name := named(n.Type); declared[name] && name != "derived" {
					t.Errorf("%s: %s is asked for without saddle.Ability", set.Position(n.Pos()), name)
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					if declared[named(e)] {
						t.Errorf("%s: %s is asked for without saddle.Ability", set.Position(e.Pos()), named(e))
					}
				}
			}
			return true
		})
	})
	if len(declared) < 50 || assertions < 20 {
		t.Errorf("%d contracts and %d assertions seen", len(declared), assertions)
	}
}

// A side is known by its abilities: no code of this package but the names themselves, in sides.go,
// is about one of them. (What is below cannot import package side.)
func TestSidesAreKnownByTheirAbilities(t *testing.T) {
	sides := map[string]bool{}
	eachFile(t, func(path string, _ *token.FileSet, file *ast.File) {
		if path != "sides.go" {
			return
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						sides[s.Name.Name] = true
					}
				}
			}
		}
	})
	if len(sides) < 12 {
		t.Errorf("only %d sides are named", len(sides))
	}
	eachFile(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.Contains(path, "/") || path == "sides.go" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && sides[name.Name] {
				t.Errorf("%s: %s is named", set.Position(name.Pos()), name.Name)
			}
			return true
		})
	})
}
