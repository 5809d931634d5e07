package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// CONTRIBUTING.md asks for tests that are named TestSubject_Condition, or that name their cases with t.Run.
func TestNames_OfTestsHaveACondition(t *testing.T) {
	named, tests := regexp.MustCompile(`^Test[A-Z][A-Za-z0-9]*_[A-Z0-9]`), 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") || fn.Name.Name == "TestMain" {
				continue
			}
			if tests++; !named.MatchString(fn.Name.Name) && !namesCases(fn) {
				t.Errorf("%s: %s has neither a condition after an underscore nor named cases",
					set.Position(fn.Pos()), fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil || tests < 500 {
		t.Errorf("%d tests seen, %v", tests, err)
	}
}

// namesCases reports whether a test calls t.Run.
func namesCases(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" {
				found = true
			}
		}
		return !found
	})
	return found
}
