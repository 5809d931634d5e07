package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// The exit code is that of the error, 128 plus the number of a signal, or 1 for any other failure.
func TestCode_IsThatOfTheFirstError(t *testing.T) {
	stopped, stop := context.WithCancelCause(context.Background())
	stop(Interrupted{Signal: syscall.SIGTERM})
	for what, c := range map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"a failure":                      {t.Context(), errors.New("x"), 1},
		"a failure with a hint":          {t.Context(), WithHint(errors.New("x"), "do y"), 1},
		"the command line":               {t.Context(), fmt.Errorf("x: %w", Usagef("", "y")), 2},
		"an outcome that is told":        {t.Context(), WithCode(Limit, nil, ""), 3},
		"a signal":                       {t.Context(), fmt.Errorf("x: %w", Interrupted{Signal: syscall.SIGINT}), 128 + 2},
		"a signal with a hint":           {t.Context(), WithHint(Interrupted{Signal: syscall.SIGHUP}, "y"), 128 + 1},
		"cancelled by a signal":          {stopped, fmt.Errorf("x: %w", context.Canceled), 128 + 15},
		"cancelled by nobody":            {t.Context(), context.Canceled, 1},
		"a failure beside a signal":      {stopped, errors.New("x"), 1},
		"the command line beside one":    {stopped, Usagef("", "y"), 2},
		"nobody reads, as shells say it": {t.Context(), WithCode(Pipe, nil, ""), 128 + int(syscall.SIGPIPE)},
	} {
		if got := Code(c.ctx, c.err); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
	err := ReplaceHint(fmt.Errorf("t.csv: %w", fs.ErrExist))
	if msg, hint := Describe(err); msg != "t.csv: "+fs.ErrExist.Error() ||
		hint != "pass --force to overwrite the file, or choose another name" {
		t.Errorf("%s; %s", msg, hint)
	}
	if _, hint := Describe(ReplaceHint(errors.New("x"))); hint != "" {
		t.Error(hint)
	}
}
