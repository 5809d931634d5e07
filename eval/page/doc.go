// Package page writes a report for people: as one self-contained HTML page, as
// Markdown, or as figures. The tables of both are made in tables.go and tables_rows.go,
// the figures in figures.go, the page is page.gohtml and page.css, the Markdown report.gomd, and check opens pages in a
// browser.
//
// It may import eval; commands import it. Start reading at page.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package page
