package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Every call of panic in a package that programs can import stands in a function whose comment mentions panics, so that
// nobody adds one silently. Commands, tests and programs that generate files may panic.
func TestPanics_AreDocumented(t *testing.T) {
	root, calls := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case "internal", "cmd", "bench", "notebooks-go", "release", "testdata", "gen", "python", "docs":
				return filepath.SkipDir
			}
			if strings.HasPrefix(d.Name(), ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					if calls++; !strings.Contains(strings.ToLower(fn.Doc.Text()), "panic") {
						t.Errorf("%s: the comment of %s does not mention that it panics", set.Position(call.Pos()), fn.Name.Name)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil || calls < 10 {
		t.Errorf("%d calls of panic seen, %v", calls, err)
	}
}
