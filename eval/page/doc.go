// Package page writes a report for people: as one self-contained HTML page, as Markdown, or as figures. The tables
// are made in tables.go and tables_rows.go, and the figures in figures.go. The templates are page.gohtml with
// page.css for HTML, and report.gomd for Markdown. Package check opens pages in a browser.
//
// The package may import eval; commands import it. The best place to start reading is page.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package page
