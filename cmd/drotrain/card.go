package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train/report"
)

// readCard reads a model card into the options of a report. It does nothing if path is empty.
func readCard(path string, into *report.Options) error {
	if path == "" {
		return nil
	}
	const hint = "a model card is a YAML file such as\n  owner: risk team\n  intended use: triage of applications"
	f, err := os.Open(path)
	if err != nil {
		return exit.WithHint(fmt.Errorf("--card %s: cannot read the file: %w", path, pathless(err)), hint)
	}
	defer f.Close()
	err = into.ReadCard(f)
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return exit.WithHint(fmt.Errorf("--card %s: %w", path, err), hint)
	}
	return nil
}
