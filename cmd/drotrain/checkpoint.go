package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// checkpointFile is the file in the output directory from which --resume continues. It is removed once all files of the
// training run have been written.
const checkpointFile = "checkpoint.bin"

// checkpointInterval is the minimum time between two writes of the checkpoint.
var checkpointInterval = 30 * time.Second

// openCheckpoint creates the checkpoint of a training run. With --resume it reads the checkpoint of an interrupted
// run and sets the options of that run; it returns an error if a given option has another value. If no checkpoint
// exists but --data is given, it starts a new run.
func (o *trainOptions) openCheckpoint(a *app, set *pflag.FlagSet) error {
	const prefix = "option --"
	if o.Out == stream {
		return nil
	}
	path, every := filepath.Join(o.Out, checkpointFile), checkpointInterval
	if a.isFollower() { // it reads the checkpoint written by rank 0
		every = math.MaxInt64 / 4
	}
	if o.Resume && o.Config.Data != "" {
		// a container can then start with the same command every time
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			o.Resume = false
			a.info("no checkpoint in %s: starting a new run", o.Out)
		}
	}
	if !o.Resume {
		o.Config.Checkpoint = train.NewCheckpoint(path, every)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Changed && options.MustMatchOnResume(f) { // on the command line or in --config
				_ = o.Config.Checkpoint.Agree(prefix+f.Name, f.Value.String()) // a new checkpoint holds no other value
			}
		})
		return nil
	}
	j, err := train.ResumeCheckpoint(path, every)
	if errors.Is(err, fs.ErrNotExist) {
		return exit.WithHint(fmt.Errorf("%s has no %s: there is nothing to resume", o.Out, checkpointFile),
			"only an interrupted `drotrain train --out DIR` writes a checkpoint; to start a new run, give --data")
	} else if err != nil {
		return exit.WithHint(err, "train again without --resume")
	}
	before := j.Facts(prefix)
	var changed []error
	set.VisitAll(func(f *pflag.Flag) {
		if was, ok := before[f.Name]; f.Changed && options.MustMatchOnResume(f) && (!ok || was != f.Value.String()) {
			changed = append(changed, &train.ChangedError{What: prefix + f.Name, Was: was, Is: f.Value.String()})
		}
	})
	if len(changed) > 0 {
		return exit.WithHint(errors.Join(changed...),
			"give only --resume --out DIR: the options of the interrupted run are stored in the checkpoint")
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if set.Changed(name) {
			continue
		}
		if err := set.Set(name, before[name]); err != nil {
			return fmt.Errorf("%s: --%s: %w", path, name, err)
		}
	}
	o.Config.Checkpoint = j
	return nil
}

// closeCheckpoint removes the checkpoint if the run has ended. After a signal it writes the checkpoint, unless it is
// empty, and prints the command that resumes the run. It returns err, with a hint if files or options have changed.
func (o *trainOptions) closeCheckpoint(ctx context.Context, a *app, err error) error {
	j := o.Config.Checkpoint
	var changed *train.ChangedError
	var interrupted exit.Interrupted
	switch {
	case j == nil:
		return err
	case errors.As(err, &changed):
		return exit.WithHint(err, "resume with the same options and files, or start again with --force and without "+
			"--resume")
	case o.ended:
		return cmp.Or(err, j.Remove())
	case context.Cause(ctx) == nil && !errors.As(err, &interrupted) || !j.HasParts():
		return err
	}
	if failed := j.Flush(); failed != nil {
		a.warn(fmt.Sprintf("cannot write the checkpoint: %v", failed))
	} else {
		a.info("to continue: drotrain train --resume --out %s", printable.QuoteShell(o.Out))
	}
	return err
}
