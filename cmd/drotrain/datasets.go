package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/datasets"
)

func newDatasets(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "datasets [list]",
		Short: "List, show or export the built-in data sets",
		Long: `List the data sets that are built into the binary. Wherever a command reads a
table, builtin:NAME names one of these data sets.`,
		Example: `  drotrain datasets
  drotrain datasets show loans
  drotrain datasets export loans --out loans.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] != "list" || len(args) > 1) {
				return unknownCommand(cmd, strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return listDatasets(a, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.AddCommand(newDatasetsShow(a), newDatasetsExport(a))
	return cmd
}

func listDatasets(a *app, asJSON bool) error {
	all := datasets.List()
	if asJSON {
		return show.JSON(a.stdout, all)
	}
	for i, d := range all {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintf(a.stdout, "%s%s  %s\n", datasets.Prefix, d.Name, d.Title)
		show.Wrapped(a.stdout, "  ", fmt.Sprintf("%s rows × %d columns, target %s (%s), groups %s",
			show.Thousands(d.Rows), d.Columns, d.Target, d.Task, strings.Join(d.Groups, ", ")))
		show.Wrapped(a.stdout, "  ", "licence: "+d.Licence)
	}
	return nil
}

// oneDataset returns an error unless args contains exactly one name.
func oneDataset(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit.Usagef(fmt.Sprintf("as in %s hmda", cmd.CommandPath()), "%s needs the name of one data set, but got %s",
			cmd.Name(), show.Plural(len(args), "name", "names"))
	}
	if _, err := datasets.Get(args[0]); err != nil {
		return unknownDataset(args[0], err)
	}
	return nil
}

func newDatasetsShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print the card of a data set: source, columns, licence",
		Example: "  drotrain datasets show hmda",
		Args:    oneDataset,
		RunE: func(_ *cobra.Command, args []string) error {
			card, err := datasets.Card(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.stdout, strings.TrimRight(card, "\n")+"\n")
			return err
		},
	}
}

func newDatasetsExport(a *app) *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:     "export NAME [--out FILE]",
		Short:   "Write a data set as a Parquet file",
		Example: "  drotrain datasets export loans --out loans.parquet",
		Args:    oneDataset,
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := datasets.Bytes(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = strings.TrimPrefix(args[0], datasets.Prefix) + ".parquet"
			}
			if !strings.HasSuffix(strings.ToLower(out), ".parquet") {
				return exit.Usagef("end the name in .parquet", "--out %q: data sets are exported only as Parquet", out)
			}
			err = a.inputs.WriteFile(out, force, func(w io.Writer) error { _, err := w.Write(b); return err })
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "wrote  %s\n", out)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default NAME.parquet)")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	return cmd
}
