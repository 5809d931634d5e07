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

// Every interface of dro is one of the contracts: of problems, or of methods.
func TestContractsAreInOnePlace(t *testing.T) {
	of := []string{"internal/saddle/contracts.go", "internal/saddle/methods.go"}
	for _, pattern := range []string{"*.go", "internal/*/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if slices.Contains(of, filepath.ToSlash(file)) || strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if i, ok := n.(*ast.InterfaceType); ok && len(i.Methods.List) > 0 {
					t.Errorf("%s: an interface outside of %v", set.Position(i.Pos()), of)
				}
				return true
			})
		}
	}
}
