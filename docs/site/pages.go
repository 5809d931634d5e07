package main

import "strings"

// A page is a Markdown file of the repository. Its address is its path, with .html.
type page struct {
	file  string // from the root
	title string // in the menu
	part  string // of the menu, where one begins
}

var pages = []page{
	{"README.md", "What it is", "Start"},
	{"docs/start.md", "From a table to a model", ""},
	{"docs/choose-a-level.md", "Choose a level of robustness", ""},
	{"docs/glossary.md", "Glossary and questions", ""},
	{"docs/input.md", "What a table may look like", ""},
	{"docs/tables.md", "Tables nobody prepared", ""},
	{"docs/scoring.md", "Scores elsewhere", ""},
	{"docs/migration.md", "Coming from another package", ""},
	{"docs/compare.md", "Beside other tools", ""},
	{"notebooks-go/README.md", "Notebooks", ""},

	{"docs/value.md", "What it is worth", "Evidence"},
	{"docs/intervals.md", "How sure the numbers are", ""},
	{"docs/performance.md", "Time", ""},
	{"docs/methods.md", "The methods", ""},
	{"docs/solver.md", "The default solver", ""},
	{"docs/scale.md", "Any size", ""},
	{"docs/reliability.md", "What can go wrong", ""},

	{"docs/math.md", "The mathematics", "Reference"},
	{"eval/schema.md", "metrics.json and report.json", ""},
	{"ARCHITECTURE.md", "Architecture", ""},
	{"bench/README.md", "Benchmarks", ""},
	{"CHANGELOG.md", "Changes", ""},
}

func (p page) html() string {
	if p.file == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(p.file, ".md") + ".html"
}
