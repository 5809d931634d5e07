package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/internal/setting"
)

func init() { cobra.EnableCommandSorting = false } // a variable of package cobra, which all runs in one process share

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "drotrain",
		Short: "Distributionally robust training of linear models",
		Long: `drotrain trains linear models, tests whether a robust model is better than the
standard model (ERM) for the worst group, and proves how close the result is to
the optimum. In a study of 44 real tables with named groups, drotrain's default
had a measurably lower worst-group risk than ERM on 6 tables when ERM did not
use the group columns, and on 3 tables when it did. The risk was measurably
higher on none of the tables.`,
		Example: `  drotrain train                        # a first run, on a built-in data set
  drotrain train --data builtin:loans --target deny --groups region,sex
  drotrain eval --model drotrain-out/model.json --data new.parquet
  drotrain predict --model drotrain-out/model.json --data new.parquet \
      --out preds.parquet`,
		Version:       readVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkOneRank(cmd.Name()) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				cmd.SetOut(a.stderr)
				_ = cmd.Help()
				return exit.WithCode(exit.Usage, nil, "start with `drotrain train`")
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetVersionTemplate("drotrain {{.Version}}\n")
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root && len(args) > 0 && !strings.HasPrefix(args[0], "-") { // as in drotrain trian --help
			a.helpError = unknownCommand(cmd, args[0])
			return
		}
		options.Help(cmd, args)
	})
	root.SetHelpCommand(newHelp(a))
	root.AddCommand(
		newTrain(a),
		newTune(a),
		newEval(a),
		newPredict(a),
		newExport(a),
		newVerify(a),
		newInspect(a),
		newDatasets(a),
		newVersion(a),
	)
	describeCompletion(root)
	hideFlags(root)
	return root
}

// describeCompletion adds the command that prints completion scripts to root, and describes it in the words of the
// other commands.
func describeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print a completion script for a shell"
		cmd.Long = `Print a script that completes commands, options and values in a shell. The help
of the command for a shell shows how to load the script.`
		for _, shell := range cmd.Commands() {
			shell.Short = "Print the completion script for " + shell.Name()
		}
	}
}

// hideFlags removes "[flags]" from the usage of the subcommands of cmd, whose usage lines state their options.
func hideFlags(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		c.DisableFlagsInUseLine = true
		hideFlags(c)
	}
}

func newHelp(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "help [command]",
		DisableFlagsInUseLine: true,

		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(target, strings.Join(rest, " "))
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
	cmd.AddCommand(newMan(a))
	return cmd
}

// renamed maps commands of earlier versions to their replacements.
var renamed = map[string]string{
	"audit":  "`drotrain eval --predictions FILE --target COLUMN --score COLUMNS`",
	"bench":  "`go -C bench run ./experiments methods` in a checkout of the repository",
	"report": "`drotrain eval --model FILE --out report.html`",
}

// unknownCommand returns the error for a word that is not a subcommand of cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	if now, ok := renamed[word]; ok && !cmd.HasParent() {
		return exit.Usagef("use "+now, "the command %q was removed", word)
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := cmp.Or(setting.DidYouMean(word, names, cmd.CommandPath()+" "), "the commands are "+strings.Join(names, ", "))
	return exit.Usagef(hint, "unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+word, "drotrain "))
}

// noArgs returns an error if there are arguments other than options.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " -h"
	switch arg := args[0]; {
	case arg == "true" || arg == "false":
		hint = fmt.Sprintf("switches take their value with an equals sign, as in --intercept=%s", arg)
	case cmd.Flags().Lookup(arg) != nil:
		hint = fmt.Sprintf("did you mean --%s?", arg)
	case cmd.Flags().Lookup("data") != nil && !cmd.Flags().Changed("data"):
		hint = fmt.Sprintf("did you mean --data %s?", arg)
	}
	return exit.Usagef(hint, "unexpected argument %q", args[0])
}
