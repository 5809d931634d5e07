package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/drotrain/drotrain/"

// tables are the rooms of columns, which every reader and user of tables imports.
var tables = []string{"data/table", "data/internal/intake", "data/internal/numeral"}

// rooms in the order of the data's way, each with those before it that it may import. A
// file belongs to the longest room that its path begins with.
var rooms = []struct {
	name string
	may  []string
}{
	{"internal", nil},
	{"internal/interval", nil},
	{"memory", []string{"internal"}},
	{"dro/divergence", []string{"internal"}},
	{"dro/spectrum", []string{"internal"}},
	{"design", []string{"internal", "memory"}},
	{"losses", []string{"internal", "memory", "design"}},
	{"dro", []string{"internal", "memory", "dro/divergence", "dro/spectrum"}},
	// Only tests import the next two.
	{"internal/sets", []string{"internal", "memory", "dro", "dro/spectrum", "dro/divergence"}},
	{"dro/internal/drotest", []string{"internal", "dro", "design", "losses"}},
	{"data/fix", nil},
	{"data/facts", nil},
	{"data/internal/numeral", []string{"internal"}},
	{"data/table", []string{"internal", "memory", "data/fix", "data/internal/numeral"}},
	{"data/internal/intake", []string{"internal", "memory", "data/fix", "data/table", "data/internal/numeral"}},
	{"data/internal", slices.Concat(tables, []string{"internal", "memory", "data/fix"})},
	{"data/internal/text", tables},
	{"data/internal/csv", slices.Concat(tables, []string{"internal", "data/internal", "data/internal/text",
		"data/fix"})},
	{"data/internal/libsvm", slices.Concat(tables, []string{"data/internal/text"})},
	{"data/internal/ipc", slices.Concat(tables, []string{"internal", "data/internal", "data/fix"})},
	{"data/internal/parquet", slices.Concat(tables, []string{"internal", "data/internal", "data/fix",
		"data/internal/ipc"})},
	{"data/internal/npy", slices.Concat(tables, []string{"internal", "memory", "data/internal", "data/fix"})},
	{"data/internal/matrix", slices.Concat(tables, []string{"internal", "memory", "design", "data/fix"})},
	{"data", slices.Concat(tables, []string{"internal", "memory", "design", "data/fix", "data/internal/text",
		"data/internal/csv", "data/internal/libsvm", "data/internal/parquet", "data/internal/ipc",
		"data/internal/npy", "data/internal/matrix"})},
	{"data/internal/datatest", tables}, // only tests import it
	{"data/encode", slices.Concat(tables, []string{"internal", "memory", "design", "data", "data/facts",
		"data/fix", "data/internal/matrix"})},
	{"data/check", slices.Concat(tables, []string{"internal", "data", "data/facts", "data/encode"})},
	{"data/propose", slices.Concat(tables, []string{"internal", "data/fix", "data", "data/encode", "data/check"})},
	{"datasets", []string{"internal", "data", "data/encode"}},
	{"eval/internal/interval", []string{"internal", "memory"}},
	{"eval", []string{"internal", "memory", "losses", "data/facts", "dro/divergence", "eval/internal/interval"}},
	{"eval/internal/evaltest", []string{"data", "data/encode", "eval"}}, // only tests import it
	{"eval/page", []string{"internal", "data/facts", "eval"}},
	// No code of the solver; of design, a type.
	{"verify", []string{"internal/interval", "design", "data", "data/encode"}},
	{"train/level", []string{"internal", "memory", "design", "dro", "dro/divergence", "dro/spectrum"}},
	{"train/tune", []string{"internal", "memory", "design", "losses", "dro", "train/level"}},
	{"train/score", []string{"internal"}},
	{"train", []string{"internal", "memory", "design", "losses", "dro", "data", "data/encode", "data/fix",
		"data/check", "datasets",
		"verify", "train/level", "train/tune", "train/score"}},
	{"export", []string{"internal", "data", "data/encode", "train/level", "train/tune", "train/score", "train"}},
	{"train/report", []string{"internal", "memory", "design", "losses", "dro", "data", "data/encode", "data/fix",
		"datasets", "eval",
		"train/level", "train/tune", "train"}},
	{"notebooks-go", []string{"internal", "design", "losses", "dro", "data", "data/encode", "datasets", "eval",
		"eval/page", "train/level", "train/tune", "train", "export", "train/report"}},
	{"cmd", []string{"internal", "memory", "design", "losses", "dro", "data", "data/encode", "data/fix",
		"data/check",
		"data/propose", "datasets", "eval", "eval/page", "train/level", "train/tune", "train", "export",
		"train/report",
		"verify"}},
}

// roomOf returns the room of a path below the module.
func roomOf(path string) string {
	best := ""
	for _, r := range rooms {
		if (path == r.name || strings.HasPrefix(path, r.name+"/")) && len(r.name) > len(best) {
			best = r.name
		}
	}
	return best
}

func TestImports_RunOneWay(t *testing.T) {
	may, before := map[string][]string{}, []string{}
	for _, r := range rooms {
		for _, m := range r.may {
			if !slices.Contains(before, m) {
				t.Errorf("the table lets %s import %s, which does not come before it", r.name, m)
			}
		}
		may[r.name], before = r.may, append(before, r.name)
	}
	root := filepath.Join("..", "..")
	arrows := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || d.Name() == "gen" ||
			strings.HasPrefix(d.Name(), ".") && path != root):
			return filepath.SkipDir // gen: programs that write what is committed
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		from := roomOf(filepath.ToSlash(filepath.Dir(rel)))
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, im := range f.Imports {
			full, _ := strconv.Unquote(im.Path.Value)
			own, ok := strings.CutPrefix(full, module)
			if !ok {
				continue
			}
			to := roomOf(own)
			if arrows++; to != from && !slices.Contains(may[from], to) {
				t.Errorf("%s: %s may not import %s (%s)", rel, from, to, own)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if arrows < 100 {
		t.Errorf("only %d imports seen", arrows)
	}
}

// Package data is used by other programs than the command: none of its texts names an option of it.
func TestData_NamesNoOptions(t *testing.T) {
	option, texts := regexp.MustCompile(`(^|[^-\w])--[a-z]`), 0
	err := filepath.WalkDir(filepath.Join("..", "..", "data"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if texts++; option.MatchString(lit.Value) {
					t.Errorf("%s: %s", set.Position(lit.Pos()), lit.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || texts < 500 {
		t.Errorf("%d texts seen, %v", texts, err)
	}
}
