package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the manual pages, one for each command.
func newMan(a *app) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:                   "man [--out DIR]",
		DisableFlagsInUseLine: true,
		Short:                 "Write the manual pages to a directory",
		Long: `Write a manual page for every command to a directory. The program man finds the
pages in a directory named man1 in your MANPATH.`,
		Example: `  drotrain help man --out ~/.local/share/man/man1
  man drotrain-train`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(out, 0o777); err != nil {
				return err
			}
			v := readVersion()
			date, err := time.Parse(time.RFC3339, v.Time) // time of the commit
			if err != nil {
				date = time.Now()
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "drotrain " + v.Version, Manual: "drotrain", Date: &date}
			if err := doc.GenManTree(root, header, out); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(out, "drotrain*.1"))
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "wrote  %d pages to %s\n", len(pages), out)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "man1", "`directory` to write to")
	return cmd
}
