package notebooks

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/notebooks-go/internal/gonbui"
)

// A notebook is what of nbformat 4 the tests look at.
type notebook struct {
	Cells []struct {
		Type    string   `json:"cell_type"`
		Source  []string `json:"source"`
		Outputs []struct {
			Type string         `json:"output_type"`
			Name string         `json:"name"` // of a stream
			Text []string       `json:"text"` // of a stream
			Data map[string]any `json:"data"`
		} `json:"outputs"`
	} `json:"cells"`
}

func read(t *testing.T, path string) notebook {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n notebook
	if err := json.Unmarshal(b, &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

func all(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	return paths
}

// source makes a Go file of a cell: declarations above %%, the body of main below.
// Cells that only configure the kernel give none.
func source(cell []string, number int) string {
	var declarations, body strings.Builder
	to, has := &declarations, false
	for _, line := range strings.SplitAfter(strings.Join(cell, ""), "\n") {
		switch {
		case strings.HasPrefix(line, "%%"):
			to, has = &body, true
		case strings.HasPrefix(line, "%"), strings.HasPrefix(line, "!"):
		default:
			to.WriteString(line)
		}
	}
	file := "package cells\n\n" + declarations.String() + "\n"
	if has {
		file += fmt.Sprintf("func cell%d() {\n%s}\n\nvar _ = cell%d\n", number, body.String(), number)
	}
	return strings.ReplaceAll(file, "github.com/janpfeifer/gonb/gonbui",
		"github.com/drotrain/drotrain/notebooks-go/internal/gonbui")
}

// The cells of every notebook compile together, each with its own imports.
func TestCells_Compile(t *testing.T) {
	gonbui.DisplayHtml("") // what the cells call here in the place of GoNB's
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	var packages []string
	for k, path := range all(t) {
		folder := fmt.Sprintf("internal/cells%d", k)
		packages = append(packages, "./"+folder)
		dir := t.TempDir()
		for i, c := range read(t, path).Cells {
			if c.Type != "code" {
				continue
			}
			name := fmt.Sprintf("cell%02d.go", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(source(c.Source, i)), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(here, folder, name)] = filepath.Join(dir, name)
		}
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"build", "-overlay", file}, packages...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every notebook is committed as it ran: each cell with something to show has an
// output, none an error, and there is a figure.
func TestNotebooks_CommittedOutputs(t *testing.T) {
	for _, path := range all(t) {
		figures, texts := 0, 0
		for i, c := range read(t, path).Cells {
			for _, o := range c.Outputs {
				if o.Type == "error" || o.Name == "stderr" {
					t.Errorf("%s: cell %d ended with an error: %s", path, i, strings.Join(o.Text, ""))
				}
				if o.Type == "stream" && o.Name == "stdout" {
					texts++
				}
				if html, ok := o.Data["text/html"]; ok && strings.Contains(fmt.Sprint(html), "<svg") {
					figures++
				}
			}
		}
		if figures == 0 || texts == 0 {
			t.Errorf("%s: %d figures and %d texts among the outputs", path, figures, texts)
		}
	}
}

// What a run printed, in the folder that DROTRAIN_NOTEBOOKS names (notebooks-go/run
// makes it), is what is committed: words alike, numbers to 1e-6.
func TestOutputs_AreThoseCommitted(t *testing.T) {
	executed := os.Getenv("DROTRAIN_NOTEBOOKS")
	if executed == "" {
		t.Skip("DROTRAIN_NOTEBOOKS names no folder of executed notebooks")
	}
	for _, path := range all(t) {
		want, got := read(t, path), read(t, filepath.Join(executed, path))
		for i := range want.Cells {
			a, b := printed(want, i), printed(got, i)
			if !alike(a, b) {
				t.Errorf("%s: cell %d printed\n%s\nand is committed with\n%s", path, i, b, a)
			}
		}
	}
}

func printed(n notebook, cell int) string {
	var b strings.Builder
	for _, o := range n.Cells[cell].Outputs {
		if o.Type == "stream" && o.Name == "stdout" {
			b.WriteString(strings.Join(o.Text, ""))
		}
	}
	if strings.HasPrefix(b.String(), "%goflags") { // the kernel's settings
		return ""
	}
	return b.String()
}

var number = regexp.MustCompile(`[-+]?\d+(\.\d+)?([eE][-+]?\d+)?`)

// alike compares texts word by word, numbers as numbers.
func alike(a, b string) bool {
	if number.ReplaceAllString(a, "#") != number.ReplaceAllString(b, "#") {
		return false
	}
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range x {
		u, _ := strconv.ParseFloat(x[i], 64)
		v, _ := strconv.ParseFloat(y[i], 64)
		if !(math.Abs(u-v) <= 1e-6*max(1, math.Abs(u))) {
			return false
		}
	}
	return true
}

func TestAlike_AllowsRounding(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"gap 1.00000001, 3 rows", "gap 1, 3 rows", true},
		{"gap 1.01", "gap 1", false},
		{"certified 1", "stalled 1", false},
		{"1 2", "1", false},
	} {
		if alike(c.a, c.b) != c.want {
			t.Errorf("%q and %q", c.a, c.b)
		}
	}
}
