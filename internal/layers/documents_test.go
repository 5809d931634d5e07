package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the pages about the code that lies beside them.
func documents(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "notebooks-go/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(root, file)
			out[filepath.ToSlash(rel)] = string(b)
		}
	}
	return out
}

// declarations are the functions, methods and types of the packages, as package.Name.
func declarations(t *testing.T, root string) (names, packages map[string]bool) {
	t.Helper()
	names, packages = map[string]bool{}, map[string]bool{}
	declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |\t)([A-Z]\w*)`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		name := filepath.Base(filepath.Dir(path))
		packages[name] = true
		for _, m := range declared.FindAllSubmatch(b, -1) {
			names[name+"."+string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, packages
}

// contents are the files and folders of the repository, and its tests and benchmarks by name.
func contents(t *testing.T, root string) (paths, tests map[string]bool) {
	t.Helper()
	paths, tests = map[string]bool{}, map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(root, path)
		paths[filepath.ToSlash(rel)] = true
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(b, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, tests
}

// What a page names is there: files and packages by their path, the pages that it links to,
// tests and benchmarks, functions and types by their package.
func TestDocuments_NamesExist(t *testing.T) {
	root := filepath.Join("..", "..")
	paths, tests := contents(t, root)
	names, packages := declarations(t, root)
	qualified := regexp.MustCompile(`^([a-z]+)\.([A-Z]\w+)$`)
	quoted, link := regexp.MustCompile("`([^`\n]+)`"), regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	path := regexp.MustCompile(
		`^(?:bench|cmd|data|datasets|design|docs|dro|eval|export|internal|losses|notebooks-go|release|train)(?:/[A-Za-z0-9_.-]+)+/?$`)
	test := regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z]\w+$`)
	before := regexp.MustCompile(`(?m)^\| [^|]* \|`) // the column of earlier names
	named := 0
	for page, text := range documents(t, root) {
		if page == "UPGRADING.md" {
			text = before.ReplaceAllString(text, "")
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			if page == "CHANGELOG.md" { // a history names what is gone
				break
			}
			switch name := strings.TrimSuffix(m[1], "/"); {
			case path.MatchString(name):
				inside := page == "ARCHITECTURE.md" && strings.HasPrefix(name, "internal/") // of the room of its row
				if named++; !paths[name] && !paths[name+".go"] && !inside {
					t.Errorf("%s names %s, which is not there", page, name)
				}
			case test.MatchString(name) && name != "TestSubject_Condition": // a pattern of names
				if named++; !tests[name] {
					t.Errorf("%s names %s, which is no test", page, name)
				}
			case qualified.MatchString(name) && packages[qualified.FindStringSubmatch(name)[1]]:
				if named++; !names[name] {
					t.Errorf("%s names %s, which is not declared", page, name)
				}
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if to := filepath.ToSlash(filepath.Join(filepath.Dir(page), m[1])); strings.Contains(m[1], ".") && !paths[to] {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d names were found", named)
	}
}

// anchorsOf returns the anchors of the headings of a page, as GitHub writes them.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	heading := regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fenced := regexp.MustCompile("(?ms)^```.*?^```")
	dropped := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		anchors[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return anchors
}

// The headings to which a page links exist.
func TestDocuments_AnchorsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	link := regexp.MustCompile(`\]\(([^)#:\s]*)#([^)\s]+)\)`)
	found := 0
	for page, text := range documents(t, root) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := text
			if m[1] != "" {
				b, err := os.ReadFile(filepath.Join(root, filepath.Dir(page), m[1]))
				if err != nil {
					t.Errorf("%s links to %s: %v", page, m[1], err)
					continue
				}
				to = string(b)
			}
			if found++; !anchorsOf(to)[m[2]] {
				t.Errorf("%s links to %s#%s, which is no heading", page, m[1], m[2])
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d links to headings were found", found)
	}
}
