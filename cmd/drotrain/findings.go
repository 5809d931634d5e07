package main

import (
	"strings"

	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
)

// optionFor returns the option that implements the proposal of a finding, or "".
func optionFor(f *check.Finding) string {
	switch {
	case len(f.Renames) > 0:
		return "--relabel " + printable.QuoteShell(formatRelabel(f.Renames))
	case len(f.Texts) > 0:
		return "--na " + printable.QuoteShell(setting.JoinNames(f.Texts))
	case f.Scored:
		return ""
	case f.What == check.Codes:
		return "--categorical " + printable.QuoteShell(f.Column)
	case f.What == check.Dates && f.Proposal != check.WriteDates:
		return "--dates parts"
	case f.What == check.RowWeight:
		return "--weight " + printable.QuoteShell(f.Column)
	case f.What == check.Index || f.What == check.UniqueText ||
		f.IsLeak() && f.What != check.LeakGroup && f.What != check.LeakSlopes:
		return "--drop " + printable.QuoteShell(f.Column)
	}
	return ""
}

// addOption appends the option of a finding to text, if there is one and the text proposes something to the user.
func addOption(text string, f *check.Finding) string {
	if option := optionFor(f); option != "" && !strings.HasPrefix(f.Proposal, "left out") {
		return text + " (" + option + ")"
	}
	return text
}
