package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// readCard reads a model card, and the labels of groups it gives; none where no file is named.
func readCard(path string) ([]eval.Fact, map[string]string, error) {
	if path == "" {
		return nil, nil, nil
	}
	const hint = "a model card is a YAML file such as\n  owner: risk team\n  intended use: triage of applications"
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, exit.WithHint(fmt.Errorf("--card: %w", err), hint)
	}
	defer f.Close()
	card, labels, err := report.ReadCard(f)
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, nil, exit.WithHint(fmt.Errorf("--card: %s: %w", path, err), hint)
	}
	return card, labels, nil
}
