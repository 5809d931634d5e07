package mutate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Site is one mutant: the bytes [From, To) of a file become New.
type Site struct {
	File     string // path below the root of the repository
	Line     int
	Kind     string // condition, boundary, arithmetic, constant or statement
	From, To int
	Old, New string
	Code     string // the line it begins in

	dir, pkg  string // of the package, below the root; its name
	body, end int    // of the function it is in, without its braces; 0: it is in none
	place     int    // where the statement of a list begins that it is in
	labels    []int  // where each mention of a label in it ends, in order
	alone     bool   // it cannot be compiled beside others
	void      bool   // the function has no result
	known     bool   // it is listed as one that means nothing
}

func (s Site) String() string {
	return fmt.Sprintf("%s:%d %s: %s → %s", s.File, s.Line, s.Kind, oneLine(s.Old), oneLine(s.New))
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 90 {
		text = text[:87] + "…"
	}
	if text == "" {
		return "(nothing)"
	}
	return text
}

// swaps are the operators that take each other's place.
var swaps = map[token.Token]struct {
	to   token.Token
	kind string
}{
	token.LSS: {token.LEQ, "boundary"}, token.LEQ: {token.LSS, "boundary"},
	token.GTR: {token.GEQ, "boundary"}, token.GEQ: {token.GTR, "boundary"},
	token.EQL: {token.NEQ, "condition"}, token.NEQ: {token.EQL, "condition"},
	token.LAND: {token.LOR, "condition"}, token.LOR: {token.LAND, "condition"},
	token.ADD: {token.SUB, "arithmetic"}, token.SUB: {token.ADD, "arithmetic"},
	token.MUL: {token.QUO, "arithmetic"}, token.QUO: {token.MUL, "arithmetic"},
	token.ADD_ASSIGN: {token.SUB_ASSIGN, "arithmetic"}, token.SUB_ASSIGN: {token.ADD_ASSIGN, "arithmetic"},
	token.MUL_ASSIGN: {token.QUO_ASSIGN, "arithmetic"}, token.QUO_ASSIGN: {token.MUL_ASSIGN, "arithmetic"},
}

// Sites lists the mutants of a file. Those that do not compile are found out when they
// are run. Messages (errors, logs, panics) are left alone.
func Sites(root, file string) ([]Site, error) {
	source, err := os.ReadFile(root + "/" + file)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(source), "\n")
	var sites []Site
	var in Site // the function that is looked at
	add := func(kind string, from, to token.Pos, with string) {
		f, t := files.Position(from), files.Position(to)
		s := in
		s.File, s.Line, s.Kind, s.From, s.To = file, f.Line, kind, f.Offset, t.Offset
		s.Old, s.New = string(source[f.Offset:t.Offset]), with
		s.Code = strings.TrimSpace(lines[f.Line-1])
		sites = append(sites, s)
	}
	text := func(n ast.Node) string {
		return string(source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	same := map[ast.Node]bool{} // numbers of which another one makes the same program
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.CONST || n.Tok == token.VAR
		case *ast.ArrayType:
			return false // lengths
		case *ast.CallExpr:
			for _, number := range idle(n, text(n.Fun)) {
				same[number] = true
			}
			if text(n.Fun) == "tuning.New" && len(n.Args) == 5 { // its value; what an experiment tries is nothing to the program
				ast.Inspect(n.Args[2], look)
				return false
			}
			return !message(text(n.Fun)) && !slices.Contains([]string{"math.IsInf", "math.Inf"}, text(n.Fun)) // of which only the sign counts
		case *ast.IfStmt:
			add("condition", n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
		case *ast.BinaryExpr:
			if s, ok := swaps[n.Op]; ok && !strings.Contains(text(n), `"`) {
				add(s.kind, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), s.to.String())
			}
		case *ast.AssignStmt:
			if s, ok := swaps[n.Tok]; ok {
				add(s.kind, n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), s.to.String())
			}
		case *ast.BasicLit:
			if with, ok := another(n); ok && !same[n] {
				add("constant", n.Pos(), n.End(), with)
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				if removable(s) && !message(text(s)) {
					add("statement", s.Pos(), s.End(), "")
				}
			}
		}
		return true
	}
	for _, d := range parsed.Decls {
		in = Site{alone: true}
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Body == nil {
				continue
			}
			in = inside(files, f)
			first := len(sites)
			ast.Inspect(f.Body, look)
			placed(files, f, sites[first:])
			continue
		}
		ast.Inspect(d, look)
	}
	return sites, nil
}

// inside is a mutant of a function, without what it changes.
func inside(files *token.FileSet, f *ast.FuncDecl) Site {
	in := Site{body: files.Position(f.Body.Lbrace).Offset + 1, end: files.Position(f.Body.Rbrace).Offset, void: f.Type.Results == nil}
	for _, l := range labels(f) {
		in.labels = append(in.labels, files.Position(l.End()).Offset)
	}
	return in
}

// placed sets the statements that the mutants of a function are in, from the outermost
// statement inwards.
func placed(files *token.FileSet, f *ast.FuncDecl, sites []Site) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		for _, stmt := range listed(n) {
			from, to := files.Position(stmt.Pos()).Offset, files.Position(stmt.End()).Offset
			for k := range sites {
				if s := &sites[k]; from <= s.From && s.To <= to {
					s.place = from
				}
			}
		}
		return true
	})
}

// listed returns the statements of a list: where one is, there may be others before it.
func listed(n ast.Node) (list []ast.Stmt) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		list = n.List
	case *ast.CaseClause:
		list = n.Body
	case *ast.CommClause:
		list = n.Body
	}
	if len(list) > 0 {
		switch list[0].(type) {
		case *ast.CaseClause, *ast.CommClause:
			return nil
		}
	}
	return list
}

// labels returns the labels of a function wherever they are named: each may be there once
// in a function.
func labels(f *ast.FuncDecl) (all []*ast.Ident) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			all = append(all, n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				all = append(all, n.Label)
			}
		}
		return true
	})
	return all
}

// another returns a different number.
func another(n *ast.BasicLit) (string, bool) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return strconv.FormatInt(v+1, 10), true
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			if v == 0 {
				return "1.0", true
			}
			return fmt.Sprintf("(2 * %s)", n.Value), true
		}
	}
	return "", false
}

// idle returns the numbers in a call to which one can be added without a difference in what
// the program does, whatever it is called with:
//
//   - terms and factors of a capacity, the third argument of make and the second of
//     slices.Grow, where these are sums and products of numbers, names and lengths: there is
//     room for more, and how much room a slice has that is appended to is append's affair;
//   - 1 and −1 that a function returns which is written into the call of a sort or a search of
//     package slices, of which the sign counts.
//
// What is subtracted or divided by stays in the draw (a capacity below the length is a panic), so do
// zeros, and capacities of channels, which say who waits.
func idle(n *ast.CallExpr, name string) (numbers []*ast.BasicLit) {
	var terms func(e ast.Expr)
	terms = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			terms(e.X)
		case *ast.BinaryExpr:
			if e.Op == token.ADD || e.Op == token.MUL {
				terms(e.X)
				terms(e.Y)
			}
		case *ast.BasicLit:
			numbers = append(numbers, e)
		}
	}
	switch {
	case name == "make" && len(n.Args) == 3:
		terms(n.Args[2])
	case name == "slices.Grow" && len(n.Args) == 2:
		terms(n.Args[1])
	case slices.Contains([]string{"slices.SortFunc", "slices.SortStableFunc", "slices.IsSortedFunc", "slices.BinarySearchFunc", "slices.MinFunc", "slices.MaxFunc"}, name):
		order, ok := n.Args[len(n.Args)-1].(*ast.FuncLit)
		if !ok {
			break
		}
		ast.Inspect(order.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				result := r.Results[0]
				if minus, ok := result.(*ast.UnaryExpr); ok && minus.Op == token.SUB {
					result = minus.X
				}
				if lit, ok := result.(*ast.BasicLit); ok && lit.Value != "0" {
					numbers = append(numbers, lit)
				}
			}
			_, another := n.(*ast.FuncLit)
			return !another
		})
	}
	return numbers
}

// removable reports a statement whose absence often compiles.
func removable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return true
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE || s.Tok == token.BREAK
	}
	return false
}

// message reports code that tells a person something.
func message(code string) bool {
	for _, name := range []string{"errors.New", "fmt.Errorf", "panic", "fmt.Sprintf", "fmt.Fprint"} {
		if strings.HasPrefix(code, name) {
			return true
		}
	}
	lower := strings.ToLower(code)
	return strings.Contains(lower, ".logf(") || strings.HasSuffix(lower, ".logf") || strings.HasSuffix(lower, ".note")
}
