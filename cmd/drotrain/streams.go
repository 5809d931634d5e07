package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// stream is the name of standard input and standard output in --model, --data and --out.
const stream = "-"

// maxModel is the maximum size in bytes of a model read from standard input. It equals the limit of package train
// for files.
const maxModel = 1 << 30

// standardInput returns a reader of the remainder of standard input.
func (a *app) standardInput() *bufio.Reader {
	if a.input == nil {
		a.input = bufio.NewReaderSize(os.Stdin, 1<<16)
	}
	return a.input
}

// tableInput returns a reader of a table on standard input, which may follow a model. If nothing has been read yet,
// it returns standard input itself, so that a file can be read in place.
func (a *app) tableInput() io.Reader {
	if a.input == nil {
		return os.Stdin
	}
	return a.input
}

// extensionOf maps the formats of tables on standard output to file extensions.
var extensionOf = map[string]string{"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "arrow": ".arrows"}

// readModel reads a model from standard input until ctx is cancelled.
func (a *app) readModel(ctx context.Context) (*train.Model, error) {
	m, done := &train.Model{}, make(chan error, 1)
	go func() { done <- a.decodeModel(m) }()
	select {
	case err := <-done:
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// decodeModel reads a model from standard input: one JSON document, which a table may follow. If standard input is
// a file, its position is then at the beginning of the table.
func (a *app) decodeModel(m *train.Model) error {
	begin, seekable := int64(0), false
	if info, err := os.Stdin.Stat(); err == nil && info.Mode().IsRegular() && a.input == nil {
		begin, err = os.Stdin.Seek(0, io.SeekCurrent)
		seekable = err == nil
	}
	bounded := &io.LimitedReader{R: a.standardInput(), N: maxModel}
	d := json.NewDecoder(bounded)
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return fmt.Errorf("not a model: %w", err)
	}
	bounded.N = math.MaxInt64
	a.input = bufio.NewReaderSize(io.MultiReader(d.Buffered(), bounded), 1<<16)
	end := begin + d.InputOffset()
	for ; ; end++ { // white space between the documents
		if c, err := a.input.Peek(1); err != nil || !bytes.ContainsAny(c, " \t\r\n") {
			break
		}
		_, _ = a.input.Discard(1)
	}
	if seekable {
		if _, err := os.Stdin.Seek(end, io.SeekStart); err != nil {
			return err
		}
		a.input = nil
	}
	return m.UnmarshalJSON(text)
}

// writeTable writes blocks of rows to path or, if that is "-", to standard output in the format of extension.
func (a *app) writeTable(
	path, extension string, force bool, rows func(put func(cols []data.Column) error) error,
) error {
	if path == stream {
		return data.WriteBlocksTo(a.rawOut, extension, rows)
	}
	if err := a.inputs.MayWrite(path); err != nil {
		return err
	}
	return exit.ReplaceHint(data.WriteBlocks(path, force, rows))
}

// trainToStream trains and writes only the model to standard output. With --weights-out -, the adversary's weights
// follow as an Arrow stream.
func (o *trainOptions) trainToStream(ctx context.Context, a *app) error {
	p := a.newProgress()
	defer p.Finish()
	// neither the rows nor the model have a file name for which checksums could be compared
	a.noSums = o.Config.Data == stream
	m, err := o.fit(ctx, a, nil, p, false)
	p.Finish()
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: no output was written", cause)
	} else if err != nil {
		return err
	}
	defer m.Run.Close()
	o.printNotes(a, m.Notes, m.Findings, m.Run.Frame)
	if _, err := m.WriteTo(a.rawOut); err != nil {
		return err
	}
	if err := o.writeWeights(a, m); err != nil {
		return err
	}
	if err := o.writeProof(ctx, a, m); err != nil {
		return err
	}
	return o.checkOutcome(m, nil, m.Summary(""))
}

// writeWeights writes the adversary's weights of the training rows to the destination given by --weights-out.
func (o *trainOptions) writeWeights(a *app, m *train.Model) error {
	if o.WeightsOut == "" {
		return nil
	}
	columns, err := m.AdversaryWeights()
	if err != nil {
		return err
	}
	extension := filepath.Ext(o.WeightsOut)
	if o.WeightsOut == stream {
		extension = extensionOf["arrow"]
	}
	return a.writeTable(o.WeightsOut, extension, o.Force,
		func(put func(cols []data.Column) error) error { return put(columns) })
}

// checkStreams returns an error for options that cannot be combined with a model on standard output, or whose
// output file already exists.
func (o *trainOptions) checkStreams(a *app) error {
	var tables []string
	for _, t := range [][2]string{{"weights-out", o.WeightsOut}, {"proof", o.Proof}} {
		if w := t[1]; w == "" || w == stream && t[0] == "weights-out" {
			continue
		} else if !slices.Contains(slices.Collect(maps.Values(extensionOf)), strings.ToLower(filepath.Ext(w))) {
			return exit.Usagef("end the name in .parquet, .csv, .tsv or .arrows", "--%s %q: unknown format", t[0], w)
		}
		tables = append(tables, t[1])
	}
	if err := a.inputs.Check(o.Force, tables...); err != nil {
		return err
	}
	switch {
	case o.WeightsOut != "" && a.comm != nil:
		return exit.Usagef("train in one process, or leave out --weights-out",
			"--weights-out does not work with several ranks, which do not keep the weights of rows")
	case o.Proof != "" && a.comm != nil:
		return exit.Usagef("train in one process, or leave out --proof",
			"--proof does not work with several ranks, which do not keep the weights of rows")
	case o.WeightsOut == stream && o.Out != stream:
		return exit.Usagef("add --out -, or give --weights-out the name of a .parquet file",
			"--weights-out - needs --out -: the weights follow the model on standard output")
	case o.Out != stream:
		return nil
	case a.comm != nil:
		return exit.Usagef("name a directory with --out", "--out - (standard output) does not work with several ranks")
	case o.Resume:
		return exit.Usagef("name a directory with --out, or leave out --resume", "--out - cannot be combined with --resume")
	case o.JSON:
		return exit.Usagef("leave out one of them",
			"--out - and --json both write to standard output")
	}
	o.Report = options.ReportNone
	return nil
}
