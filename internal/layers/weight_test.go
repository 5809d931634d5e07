package layers

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A listed is a package that go list names.
type listed struct {
	ImportPath, Name, Export string
	Standard                 bool
	Deps                     []string
}

// listPackages returns the packages of the module, and with the flag -deps what they import, by path.
func listPackages(t *testing.T, flags ...string) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list"}, flags...), "-json=ImportPath,Name,Export,Standard,Deps",
		"./...")...)
	cmd.Dir = "../.."
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, problems.Bytes())
	}
	packages := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// Programs that score, measure plain slices or use the losses alone link no reader of files, no figures and no
// network: what these packages may import is written here.
func TestLightPackages_ImportLittle(t *testing.T) {
	packages := listPackages(t, "-deps")
	base := []string{module + "internal/", module + "memory", module + "design", module + "losses", "golang.org/x/sys/"}
	sums := []string{"gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/internal/asm/"}
	for path, may := range map[string][]string{
		"train/score": {module + "internal/transform"},
		"data/facts":  nil,
		"data/fix":    nil,
		"design":      base,
		"losses":      base,
		"eval": slices.Concat(base, sums, []string{module + "data/facts", module + "dro/divergence",
			module + "eval/internal/interval", "gonum.org/v1/gonum/mathext"}),
	} {
		p, ok := packages[module+path]
		if !ok {
			t.Errorf("%s is not a package", path)
		}
		for _, dep := range p.Deps {
			of := packages[dep]
			allowed := slices.ContainsFunc(may, func(prefix string) bool { return strings.HasPrefix(dep, prefix) })
			if of.Standard {
				heavy := []string{"net", "regexp", "encoding/gob", "crypto/", "html/", "text/template", "os/exec", "compress/",
					"image"}
				allowed = !slices.ContainsFunc(heavy, func(prefix string) bool {
					return dep == prefix || strings.HasPrefix(dep, prefix+"/") ||
						strings.HasSuffix(prefix, "/") && strings.HasPrefix(dep, prefix)
				})
			}
			if !allowed {
				t.Errorf("%s imports %s", path, dep)
			}
		}
	}
}
