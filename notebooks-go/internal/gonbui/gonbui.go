// Package gonbui replaces GoNB's package of the same name when the cells of the notebooks are compiled without
// GoNB.
package gonbui

// DisplayHtml does nothing; in GoNB it shows a fragment of HTML below the cell.
func DisplayHtml(string) {}
