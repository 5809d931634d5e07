package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// A step is a command line of a page and what the page says that it prints.
type step struct {
	line   int
	text   string
	prints []string // nil: nothing is said
	code   int
}

var exitsWith = regexp.MustCompile(`\s+# exits with (\d+)$`)

// steps finds the command lines of a page. In blocks marked console they are the lines after "$ ", with their output;
// in indented and other fenced blocks they are the lines that begin with a program.
func steps(t *testing.T, page string) []step {
	t.Helper()
	b := contents(t, page)
	var out []step
	fence := ""
	for i, line := range strings.Split(string(b), "\n") {
		if mark, ok := strings.CutPrefix(line, "```"); ok {
			if fence == "" {
				fence = "```" + mark
			} else {
				fence = ""
			}
			continue
		}
		switch {
		case fence == "```console":
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				last := &out[len(out)-1]
				last.prints = append(last.prints, line)
				continue
			}
			s := step{line: i + 1, text: command}
			if m := exitsWith.FindStringSubmatch(command); m != nil {
				fmt.Sscan(m[1], &s.code)
				s.text = strings.TrimSuffix(command, m[0])
			}
			out = append(out, s)
		case fence == "" && strings.HasPrefix(line, "    ") || fence == "```" || fence == "```sh":
			text := strings.TrimSpace(line)
			if program.MatchString(text) {
				out = append(out, step{line: i + 1, text: text})
			}
		}
	}
	return out
}

// program begins a command line; a page may show others only as console.
var program = regexp.MustCompile(
	`^(\./)?(drotrain|go|python3|venv/bin/\w+|git|notebooks-go/run|release/build|podman|mpirun) `)

// elsewhere are the commands that this test does not run, and why.
var elsewhere = []struct{ begins, why string }{
	{"go build ", "it builds the program that runs here"},
	{"go test ", "this is one of them"},
	{"go run golang.org/", "it downloads a tool"},
	{"go -C ", "it is a module of its own"},
	{"python3 ", "it installs packages"}, {"venv/bin/", "it installs packages"}, {"git clone ", "it downloads"},
	{"notebooks-go/run ", "CI runs it"}, {"release/build ", "it cross-compiles for minutes"},
	{"podman ", "it needs a container engine"},
	{"mpirun ", "it needs an MPI"},
	{"drotrain train --resume ", "it needs a run that was interrupted"},
	{"drotrain train --data embeddings.npy ", "it needs arrays of a network"},
	{"drotrain predict --model drotrain-out --data new.npy", "it needs arrays of a network"},
	{"drotrain train --data reviews.svm ", "it needs a file of another program"},
	{"drotrain predict --model drotrain-out --data new.svm", "it needs a file of another program"},
}

// Every command line in README.md and docs/ runs, with one new directory per page, and prints the output and writes
// the files that the page states.
func TestDocs_Commands(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains and reports several times")
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatal(pages, err)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	ran := make(chan int, len(pages))
	t.Run("pages", func(t *testing.T) {
		for _, page := range pages {
			all := steps(t, page)
			t.Run(filepath.Base(page), func(t *testing.T) {
				t.Parallel()
				ran <- follow(t, page, all)
			})
		}
	})
	close(ran)
	total := 0
	for n := range ran {
		total += n
	}
	if total < 20 {
		t.Errorf("only %d commands ran", total)
	}
}

// follow runs the steps of a page in a new directory.
func follow(t *testing.T, page string, all []step) (ran int) {
	dir := t.TempDir()
	for _, s := range all {
		at := fmt.Sprintf("%s:%d: %s", filepath.Base(page), s.line, s.text)
		text := s.text
		for _, begins := range []string{"go run ./cmd/drotrain", "./drotrain"} {
			if rest, ok := strings.CutPrefix(text, begins); ok {
				text = "drotrain" + rest
			}
		}
		if i := slices.IndexFunc(elsewhere, func(e struct{ begins, why string }) bool {
			return strings.HasPrefix(text+" ",
				e.begins)
		}); i >= 0 {
			t.Logf("%s: not run: %s", at, elsewhere[i].why)
			checkNames(t, at, text)
			continue
		}
		args := words(text)
		if args[0] != "drotrain" {
			t.Errorf("%s: this program is not known here", at)
			continue
		}
		ran++
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		code := cmd.ProcessState.ExitCode()
		gate := s.prints == nil && strings.Contains(text, "--fail-if") && code == exit.Gate
		if code != s.code && !gate {
			t.Fatalf("%s: exit code %d\n%s%s", at, code, stdout.String(), stderr.String())
		}
		if printed := stdout.String() + stderr.String(); s.prints != nil &&
			!matches(s.prints, strings.Split(strings.TrimRight(printed, "\n"), "\n")) {
			t.Errorf("%s: printed\n%s\nand not\n%s", at, printed, strings.Join(s.prints, "\n"))
		}
	}
	return ran
}

var (
	experiment = regexp.MustCompile(`^go -C bench run \./experiments (\w+)`)
	inFolder   = regexp.MustCompile(`^go -C (\S+) `)
	folder     = regexp.MustCompile(`(?:^| )\./([\w/-]+)`)
)

// checkNames checks the names in a command line that this test does not run: experiments and folders of the
// repository.
func checkNames(t *testing.T, at, text string) {
	t.Helper()
	if m := experiment.FindStringSubmatch(text); m != nil {
		found := false
		files, _ := filepath.Glob(filepath.Join(root, "bench", "experiments", "*.go"))
		for _, file := range files {
			b := contents(t, file)
			found = found || bytes.Contains(b, fmt.Appendf(nil, "register(%q", m[1]))
		}
		if !found {
			t.Errorf("%s: there is no experiment %s", at, m[1])
		}
	}
	dir := root
	if m := inFolder.FindStringSubmatch(text); m != nil {
		dir = filepath.Join(root, m[1])
	}
	for _, m := range folder.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// matches compares lines with those of a page, in which "…" stands for any text or, on a line of its own, for any
// number of lines.
func matches(says, printed []string) bool {
	if len(says) == 0 {
		return len(printed) == 0
	}
	if says[0] == "…" {
		for i := range len(printed) + 1 {
			if matches(says[1:], printed[i:]) {
				return true
			}
		}
		return false
	}
	if len(printed) == 0 {
		return false
	}
	parts := strings.Split(says[0], "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	line := regexp.MustCompile("^" + strings.Join(parts, ".*") + `\s*$`)
	return line.MatchString(printed[0]) && matches(says[1:], printed[1:])
}

var (
	inline = regexp.MustCompile("`((?:drotrain |--)[^`]+)`")
	option = regexp.MustCompile(`(?:^|[ (])--([a-z][a-z-]*[a-z])\b`)
)

// Every option in the text of README.md and docs/ is an option of a command, except in text about other programs.
func TestDocs_Options(t *testing.T) {
	known := map[string]bool{"help": true}
	a := &app{}
	var all []*pflag.FlagSet // which know aliases, too
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		all = append(all, cmd.Flags())
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(a))
	others := map[string]bool{"mpi": true, "robust_step_size": true, "weight_decay": true, "alpha": true, "btl": true,
		"robust": true, "generalization_adjustment": true}
	pages, _ := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	named := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		b := contents(t, page)
		for _, code := range inline.FindAllStringSubmatch(string(b), -1) {
			for _, m := range option.FindAllStringSubmatch(code[1], -1) {
				named++
				has := func(fs *pflag.FlagSet) bool { return fs.Lookup(m[1]) != nil }
				if !known[m[1]] && !slices.ContainsFunc(all, has) && !others[m[1]] && !strings.Contains(code[1], "_") {
					t.Errorf("%s: %s: no command has --%s", filepath.Base(page), code[0], m[1])
				}
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d options were found", named)
	}
}
