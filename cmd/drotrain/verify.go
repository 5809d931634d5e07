package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/verify"
)

func newVerify(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "verify --model FILE --proof FILE --data FILE [options]",
		Short: "Check the certificate of a model in exact arithmetic",
		Long: `Check the certificate of a model with its training table and the proof that
drotrain train --proof wrote. The table is read and encoded again. Both bounds
of the optimal objective are then computed with 256 bits and rounded outwards,
without using any solver code. python -m drotrain.verify performs the same
check in Python, on the rows that --encoded writes.

Exit codes: 0 the certificate is proved, 1 failed, 2 wrong command line, 4 the
certificate is not proved (the reason is printed).`,
		Example: `  drotrain train --data builtin:loans --target deny --ess 0.5 --out loans \
      --proof proof.parquet
  drotrain verify --model loans --proof proof.parquet --data builtin:loans`,
	}, options.Verify, func(ctx context.Context, s *options.Settings, _ *pflag.FlagSet, _ []string) error {
		return a.verify(ctx, s)
	})
}

// A verifyOutput is what verify --json prints. Bounds are decimal strings, rounded outwards, which a JSON
// parser does not round again.
type verifyOutput struct {
	Proved      bool     `json:"proved"`
	Reason      string   `json:"reason,omitempty"` // reason why the certificate is not proved
	Upper       string   `json:"upper,omitempty"`
	Lower       string   `json:"lower,omitempty"`
	Gap         *float64 `json:"gap,omitempty"`
	RelativeGap *float64 `json:"relative_gap,omitempty"`
	Asked       float64  `json:"relative_gap_asked"`
}

// verify checks the certificate of a model.
func (a *app) verify(ctx context.Context, o *options.Settings) error {
	path := strings.Join(o.Models, "")
	err := checkRequirements(modelRequirement(path),
		requiredOption{"proof", o.Proof, "name the file that `drotrain train --proof FILE` wrote"}, dataRequirement(o.Config.Data))
	if err != nil {
		return err
	}
	if o.Encoded != "" {
		if !strings.EqualFold(filepath.Ext(o.Encoded), ".parquet") {
			return exit.Usagef("end the name in .parquet", "--encoded %q: the rows are written only as Parquet", o.Encoded)
		}
		if err := a.inputs.Check(o.Force, o.Encoded); err != nil {
			return err
		}
	}
	m, err := a.readModelToVerify(path)
	if err != nil {
		return err
	}
	shown := a.newProgress()
	defer shown.Finish()
	ctx = shown.Watch(ctx)
	shown.Begin(show.Reading)
	proof, err := a.readProof(ctx, o.Proof, m)
	if err != nil {
		return err
	}
	f, err := a.openTable(ctx, o.Config.Data, m.Reading())
	if err != nil {
		return err
	}
	if o.Encoded != "" {
		err := a.writeTable(o.Encoded, filepath.Ext(o.Encoded), o.Force, func(put func(cols []data.Column) error) error {
			columns, err := m.EncodedColumns(ctx, f, proof)
			if err != nil {
				return err
			}
			return put(columns)
		})
		if err != nil {
			return err
		}
	}
	shown.Begin("checking")
	r, err := verify.Check(ctx, m, f, proof)
	shown.Finish()
	if err != nil {
		return err
	}
	return a.printVerified(o, r)
}

// printVerified prints the outcome. It returns an error, which sets the exit code, if the certificate is not proved.
func (a *app) printVerified(o *options.Settings, r *verify.Report) error {
	out := verifyOutput{Proved: r.Proved(), Reason: r.Refused, Asked: r.Asked}
	if r.Lower != nil {
		out.Upper, out.Lower = decimal(r.Upper, true), decimal(r.Lower, false)
		out.Gap, out.RelativeGap = &r.Gap, &r.Relative
	}
	refused := exit.WithCode(exit.Gate, fmt.Errorf("refused: %s", r.Refused), "")
	if o.JSON {
		if err := show.JSON(a.stdout, out); err != nil || r.Proved() {
			return err
		}
		return refused
	}
	if r.Lower != nil {
		fmt.Fprintf(a.stdout, "upper bound   %s\nlower bound   %s\n", out.Upper, out.Lower)
		fmt.Fprintf(a.stdout, "gap           %.3g\nrelative gap  %.3g (requested: %.3g)\n", r.Gap, r.Relative, r.Asked)
	}
	if !r.Proved() {
		return refused
	}
	fmt.Fprintln(a.stdout, "proved: the objective of the model is within this gap of the optimum")
	return nil
}

// readModelToVerify reads a model from a file, or from a directory that contains one.
func (a *app) readModelToVerify(path string) (*verify.Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	a.inputs.Add(path)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.WithHint(fmt.Errorf("there is no model %s", path), "train a model first with `drotrain train`")
	} else if err != nil {
		return nil, err
	}
	m, err := verify.ReadModel(raw)
	if err != nil {
		return nil, exit.WithHint(fmt.Errorf("%s: %w", path, err),
			"give --model the file "+modelFile+" written by `drotrain train`")
	}
	return m, nil
}

// readProof reads a proof.
func (a *app) readProof(ctx context.Context, path string, m *verify.Model) (*verify.Proof, error) {
	f, err := a.openTable(ctx, path, data.Reading{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return verify.ReadProof(ctx, f, m.Encoder.Target.Outputs())
}

// decimal returns a number in decimal notation with 30 digits, rounded up or down.
func decimal(v *big.Float, up bool) string {
	const digits = 30
	text := v.Text('e', digits-1)
	for _, unit := range []int64{0, 1} {
		parsed, _, err := big.ParseFloat(text, 10, 4*v.Prec(), big.ToNearestEven)
		if err != nil {
			return text
		}
		if c := parsed.Cmp(v); c == 0 || unit == 1 || (c > 0) == up {
			break
		}
		size := new(big.Float).Abs(parsed)
		// at least one unit in the last digit
		step := new(big.Float).SetPrec(4*v.Prec()).Quo(size, big.NewFloat(1e29))
		if !up {
			step.Neg(step)
		}
		text = parsed.Add(parsed, step).Text('e', digits-1)
	}
	return text
}

// writeProof writes the proof of the certificate to the file given by --proof. It returns an error if package
// verify does not support the objective or, without a regulariser, does not accept the proof.
func (o *trainOptions) writeProof(ctx context.Context, a *app, m *train.Model) error {
	if o.Proof == "" {
		return nil
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		return err
	}
	checked, err := verify.ReadModel(file.Bytes())
	if err == nil {
		err = checked.Supported()
	}
	if err != nil {
		return fmt.Errorf("--proof: the proof cannot be written: %w", err)
	}
	p, err := m.Prove(ctx)
	if err != nil {
		return err
	}
	columns := p.Columns(checked.Identifier(), m.Sources)
	if *m.Config.Mu == 0 && m.Result.Certified { // verify cannot repeat every bound without a regulariser
		if err := checkProof(ctx, checked, m, columns); err != nil {
			return err
		}
	}
	return a.writeTable(o.Proof, filepath.Ext(o.Proof), o.Force,
		func(put func(cols []data.Column) error) error { return put(columns) })
}

// checkProof returns an error if the proof with the given columns does not prove the certificate of the model.
func checkProof(ctx context.Context, checked *verify.Model, m *train.Model, columns []data.Column) error {
	table, err := data.NewFrame(columns...)
	if err != nil {
		return err
	}
	proof, err := verify.ReadProof(ctx, table, m.Encoder.Target.Outputs())
	if err != nil {
		return err
	}
	r, err := verify.Check(ctx, checked, m.Run.Frame, proof)
	if err != nil || r.Proved() {
		return err
	}
	return exit.WithHint(fmt.Errorf("--proof: no proof was written, because drotrain verify would refuse it: %s",
		r.Refused),
		"set --mu above 0, or lower --gap; the model was written")
}
