package main

import "strings"

// A page is a Markdown file of the repository. Its address is its path, with .html.
type page struct {
	file  string // from the root
	title string // in the menu
	part  string // of the menu, where one begins
}

var pages = []page{
	{"README.md", "What it is", "Tutorial"},
	{"docs/start.md", "From a table to a model", ""},
	{"docs/report.md", "Read the report", ""},
	{"docs/glossary.md", "Glossary and questions", ""},
	{"notebooks-go/README.md", "Notebooks", ""},

	{"docs/choose-a-level.md", "Choose a level of robustness", "How to"},
	{"docs/input.md", "Prepare a table", ""},
	{"docs/tables.md", "Public tables", ""},
	{"docs/scoring.md", "Score elsewhere", ""},
	{"docs/gates.md", "Gate a build", ""},
	{"docs/drift.md", "Detect drift", ""},
	{"docs/scale.md", "Larger than memory, several machines", ""},
	{"docs/python.md", "From Python", ""},
	{"docs/last-layers.md", "Embeddings, many classes", ""},
	{"docs/migration.md", "Coming from another package", ""},

	{"docs/explain.md", "Robust training in five minutes", "Explanation"},
	{"docs/value.md", "Does it help?", ""},
	{"docs/intervals.md", "Intervals and verdicts", ""},

	{"docs/options.md", "Options", "Reference"},
	{"docs/files.md", "Files, exit codes, Go packages", ""},
	{"eval/schema.md", "metrics.json and report.json", ""},
	{"docs/reliability.md", "What can go wrong", ""},
	{"ARCHITECTURE.md", "Architecture", ""},
	{"CONTRIBUTING.md", "Contributing", ""},
	{"CHANGELOG.md", "Changes", ""},
	{"UPGRADING.md", "From earlier versions", ""},

	{"docs/compare.md", "Other tools", "Comparison"},

	{"docs/math.md", "Mathematics", "Specification"},
	{"dro/internal/saddle/rounding.md", "Rounding", ""},
	{"docs/solver.md", "The default solver", ""},
	{"docs/methods.md", "The paper's methods", ""},
	{"dro/primaldual/methods.md", "Their mathematics, corrections", ""},

	{"docs/performance.md", "Measured", "Performance"},
	{"bench/README.md", "Benchmarks", ""},
}

func (p page) html() string {
	if p.file == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(p.file, ".md") + ".html"
}
