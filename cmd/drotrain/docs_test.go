package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/datasets"
)

// root is the top of the repository, seen from here.
const root = "../.."

// README.md, the help of train and the package comment state all exit codes.
func TestDocs_ExitCodes(t *testing.T) {
	_, help, _ := try(t.Context(), "train", "--help")
	told := map[string]string{"train --help": help}
	for _, file := range []string{"README.md", "cmd/drotrain/main.go"} {
		b := contents(t, filepath.Join(root, file))
		told[file] = strings.ReplaceAll(string(b), "\n//", "")
	}
	for where, text := range told {
		_, codes, found := strings.Cut(text, "Exit codes: ")
		if !found {
			t.Errorf("%s tells no exit codes", where)
			continue
		}
		for code, what := range map[int]string{exit.OK: "certified", exit.Failed: "failed", exit.Usage: "wrong",
			exit.Limit: "stopped", exit.Gate: "(gate|degenerate)"} {
			if !regexp.MustCompile(fmt.Sprintf(`^([^.]*,\s)?%d [^,:]*%s`, code, what)).MatchString(codes) {
				t.Errorf("%s: no %d with %q in %.200q", where, code, what, codes)
			}
		}
	}
}

// Every test that docs/reliability.md and docs/input.md name exists.
func TestDocs_NameTestsThatExist(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		source.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	for _, page := range []string{"reliability.md", "input.md"} {
		doc := contents(t, filepath.Join(root, "docs", page))
		names := test.FindAllStringSubmatch(string(doc), -1)
		if page == "reliability.md" && len(names) < 20 {
			t.Fatalf("docs/%s: only %d tests are named", page, len(names))
		}
		for _, n := range names {
			if !strings.Contains(source.String(), "func "+n[1]+"(") {
				t.Errorf("docs/%s names %s, which is no test", page, n[1])
			}
		}
	}
}

// loans writes the built-in loans to files with the given names.
func loans(t *testing.T, names ...string) {
	t.Helper()
	b, err := datasets.Bytes("loans")
	for _, name := range names {
		if err == nil {
			err = os.WriteFile(name, b, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// words splits a command line at spaces outside single quotes.
func words(s string) []string {
	var out []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

var redirection = regexp.MustCompile(` > [a-z.]+$`)

// The options in the examples of the help exist, and their values are valid.
func TestHelp_ExamplesAreValid(t *testing.T) {
	a := &app{stdout: io.Discard, stderr: io.Discard}
	ran := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		for _, line := range strings.Split(strings.ReplaceAll(cmd.Example, "\\\n", " "), "\n") {
			line, _, _ = strings.Cut(line, "#")
			line = redirection.ReplaceAllString(line, "")
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), "drotrain ")
			if !ok {
				continue
			}
			ran++
			target, flags, err := newRoot(a).Find(words(strings.ReplaceAll(rest, `"`, "'")))
			if err == nil {
				err = target.ParseFlags(flags)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	walk(newRoot(a))
	// beside the titles of options
	for _, command := range []string{"train", "tune", "eval", "predict", "export", "inspect"} {
		var help strings.Builder
		root := newRoot(&app{stdout: &help, stderr: io.Discard})
		root.SetOut(&help)
		root.SetArgs([]string{command, "--help"})
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(help.String()) {
			rest, ok := strings.CutPrefix(line, "  e.g.")
			if !ok {
				continue
			}
			ran++
			flags := words(strings.ReplaceAll(strings.TrimSpace(rest), `"`, "'"))
			target, flags, err := newRoot(a).Find(append([]string{command}, flags...))
			if err == nil {
				err = target.ParseFlags(flags)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", command, rest, err)
			}
		}
	}
	if ran < 50 {
		t.Errorf("only %d examples were found", ran)
	}
}
