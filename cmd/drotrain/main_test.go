package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if d, err := time.ParseDuration(os.Getenv("DROTRAIN_TEST_CHECKPOINT")); err == nil {
		checkpointInterval = d
	}
	testscript.Main(m, map[string]func(){"drotrain": main})
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the whole command many times")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond != "long" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return os.Getenv("DROTRAIN_LONG") != "", nil
		},
	})
}
