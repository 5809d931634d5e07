package dro

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs returns the doc comments of the types and functions of a folder by name, and for
// aliases and forwards the name that they stand for.
func docs(t *testing.T, dir string) (doc, target map[string]string) {
	t.Helper()
	doc, target = map[string]string{}, map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		selector := func(e ast.Expr) string {
			if s, ok := e.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					return x.Name + "." + s.Sel.Name
				}
			}
			return ""
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					continue
				}
				doc[d.Name.Name] = d.Doc.Text()
				if len(d.Body.List) == 1 {
					if r, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
						if c, ok := r.Results[0].(*ast.CallExpr); ok {
							target[d.Name.Name] = selector(c.Fun)
						}
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						if doc[s.Name.Name] = s.Doc.Text(); s.Doc == nil {
							doc[s.Name.Name] = d.Doc.Text()
						}
						if s.Assign.IsValid() {
							target[s.Name.Name] = selector(s.Type)
						}
					}
				}
			}
		}
	}
	return doc, target
}

// What dro says of a name is what is written where it is defined.
func TestFaceSaysWhatIsBehindIt(t *testing.T) {
	face, target := docs(t, ".")
	behind := map[string]map[string]string{}
	for name, of := range target {
		pkg, real, ok := strings.Cut(of, ".")
		if !ok {
			continue
		}
		if behind[pkg] == nil {
			behind[pkg], _ = docs(t, filepath.Join("internal", pkg))
		}
		if want := behind[pkg][real]; face[name] != want || want == "" {
			t.Errorf("%s says\n%s\nand %s\n%s", name, face[name], of, want)
		}
	}
	if len(behind) < 4 {
		t.Errorf("only %d packages behind the face", len(behind))
	}
}

// The abilities that an error asks for are names of this package, to be looked up and written.
func TestAbilitiesAskedForAreNamed(t *testing.T) {
	face, _ := docs(t, ".")
	named := regexp.MustCompile(`the (\w+)(?: or the (\w+))? ability`)
	asked := map[string]bool{}
	for _, m := range append(everyMethod(), NewtonCG{}, Growing{}, Smoothing{}, Minimax{}) {
		for _, need := range m.Needs() {
			for _, found := range named.FindAllStringSubmatch(need.What, -1) {
				asked[found[1]] = true
				if found[2] != "" {
					asked[found[2]] = true
				}
			}
		}
	}
	for name := range asked {
		if face[name] == "" {
			t.Errorf("the %s ability is asked for, and has no name here", name)
		}
	}
	if len(asked) < 10 {
		t.Errorf("only %d abilities are asked for", len(asked))
	}
}
