// Package gonbui stands for GoNB's package of that name where the cells of the
// notebooks are compiled without it.
package gonbui

// DisplayHtml shows a fragment of HTML below the cell, in GoNB.
func DisplayHtml(string) {}
