package mutate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The mutants of all packages are compiled together: every function holds, before its own
// body, one body a mutant, of which the environment variable MUTANT says which one runs.
// With MUTANT=-1 the statements of mutants report that they were reached.
const (
	number = "MUTANT"
	reach  = "MUTANT_REACHED" // a file
)

const selector = `package %s

import (
	mutantOS "os"
	mutantConv "strconv"
	mutantAtomic "sync/atomic"
)

var mutantNumber, _ = mutantConv.Atoi(mutantOS.Getenv("` + number + `"))

var mutantReached [%d]mutantAtomic.Bool

func mutantReach(id int) {
	if mutantReached[id].Load() || mutantReached[id].Swap(true) {
		return
	}
	if f, err := mutantOS.OpenFile(mutantOS.Getenv("` + reach + `"), mutantOS.O_APPEND|mutantOS.O_CREATE|mutantOS.O_WRONLY, 0o644); err == nil {
		f.WriteString(mutantConv.Itoa(id) + "\n")
		f.Close()
	}
}
`

// A schema is mutants that are compiled together, numbered from 1; or one that cannot be,
// which is always on.
type schema struct {
	sites map[int]Site
}

// alone reports a schema of one mutant that is always on.
func (m *schema) alone() bool {
	for _, s := range m.sites {
		return s.alone
	}
	return false
}

// dirs are the packages with mutants, below the clone.
func (m *schema) dirs() []string {
	names := map[string]bool{}
	for _, s := range m.sites {
		names[s.dir] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// overlay writes the changed files and returns the file that go's -overlay takes.
func (m *schema) overlay(clone, scratch string) (string, error) {
	replace := map[string]string{}
	byFile := map[string][]int{}
	for id, s := range m.sites {
		byFile[s.File] = append(byFile[s.File], id)
	}
	write := func(original, text string) error {
		path := filepath.Join(scratch, "overlay", fmt.Sprintf("%d.go", len(replace)))
		replace[original] = path
		return os.WriteFile(path, []byte(text), 0o644)
	}
	if err := os.MkdirAll(filepath.Join(scratch, "overlay"), 0o755); err != nil {
		return "", err
	}
	for file, ids := range byFile {
		source, err := os.ReadFile(filepath.Join(clone, file))
		if err != nil {
			return "", err
		}
		if err := write(filepath.Join(clone, file), rewrite(string(source), filepath.Base(file), ids, m.sites)); err != nil {
			return "", err
		}
	}
	selected := map[string]bool{}
	for _, s := range m.sites {
		if selected[s.dir] {
			continue
		}
		selected[s.dir] = true
		if err := write(filepath.Join(clone, s.dir, "mutant_selector.go"), fmt.Sprintf(selector, s.pkg, slices.Max(slices.Collect(maps.Keys(m.sites)))+1)); err != nil {
			return "", err
		}
	}
	text, _ := json.Marshal(map[string]map[string]string{"Replace": replace})
	path := filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// rewrite returns a file with all of its mutants.
func rewrite(source, file string, ids []int, sites map[int]Site) string {
	if s := sites[ids[0]]; s.alone {
		return source[:s.From] + s.New + source[s.To:]
	}
	byBody, byPlace := map[int][]int{}, map[int]int{}
	for _, id := range ids {
		byBody[sites[id].body] = append(byBody[sites[id].body], id)
		if at := sites[id].place; byPlace[at] == 0 || id < byPlace[at] {
			byPlace[at] = id
		}
	}
	var out strings.Builder
	done := 0
	at := slices.AppendSeq(slices.Collect(maps.Keys(byBody)), maps.Keys(byPlace))
	slices.Sort(at)
	for _, at := range slices.Compact(at) {
		out.WriteString(source[done:at])
		done = at
		if of := byBody[at]; len(of) > 0 {
			slices.Sort(of)
			out.WriteString("\nif mutantNumber > 0 {\n")
			for _, id := range of {
				s := sites[id]
				fmt.Fprintf(&out, "if mutantNumber == %d {\n//line mutant_%d.go:1\n%s%s%s\n", id, id,
					s.relabelled(source, s.body, s.From, id), s.New, s.relabelled(source, s.To, s.end, id))
				if s.void {
					out.WriteString("return\n")
				}
				out.WriteString("}\n")
			}
			fmt.Fprintf(&out, "}\n//line %s:%d\n", file, 1+strings.Count(source[:at], "\n"))
		}
		if id := byPlace[at]; id > 0 {
			fmt.Fprintf(&out, "if mutantNumber < 0 { mutantReach(%d) }; ", id)
		}
	}
	out.WriteString(source[done:])
	return out.String()
}

// relabelled returns part of a function with names of its own for its labels.
func (s Site) relabelled(source string, from, to, id int) string {
	var out strings.Builder
	for _, at := range s.labels { // where a label ends
		if at > from && at <= to {
			fmt.Fprintf(&out, "%s_%d", source[from:at], id)
			from = at
		}
	}
	return out.String() + source[from:to]
}

var inMutant = regexp.MustCompile(`mutant_(\d+)\.go:`)

// dropFailing removes the mutants that a compiler's messages are about, and reports
// whether there are any.
func (m *schema) dropFailing(messages string) bool {
	before := len(m.sites)
	for _, match := range inMutant.FindAllStringSubmatch(messages, -1) {
		id, _ := strconv.Atoi(match[1])
		delete(m.sites, id)
	}
	return len(m.sites) < before
}

// place returns the number by which the statement of a mutant reports that it was reached.
func (m *schema) place(id int) int {
	first := id
	for other, s := range m.sites {
		if s.File == m.sites[id].File && s.place == m.sites[id].place {
			first = min(first, other)
		}
	}
	return first
}
