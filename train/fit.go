package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// Open opens a table: a path, a glob, a directory, or builtin:NAME for a built-in data set. Columns of Parquet
// files are read when they are needed, as with data.Open.
func Open(ctx context.Context, name string) (*data.Frame, error) {
	return OpenAs(ctx, name, data.Reading{})
}

// OpenAs works like Open, with a data.Reading for text and dates.
func OpenAs(ctx context.Context, name string, how data.Reading) (*data.Frame, error) {
	if builtin, ok := strings.CutPrefix(name, datasets.Prefix); ok {
		return datasets.Open(builtin)
	}
	return data.Open(ctx, name, how)
}

// Fit reads cfg.Data, holds out a fraction of its rows, and trains the baselines and the robust model on the others. If
// cfg sets no robustness, Fit chooses one.
//
// If a run stops at a limit, Model.Result.Status says so; this is not an error. If ctx is cancelled during the robust
// training, Fit returns the best model so far and the error of the context.
func Fit(ctx context.Context, cfg Config) (*Model, error) {
	if ctx == nil {
		return nil, errNil
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Data == "" {
		return nil, errors.New("no data: set Data to a file, a directory or builtin:NAME")
	}
	defer shard.LimitThreads(cfg.Threads)()
	frame, err := cfg.OpenData(ctx, OpenAs)
	if err != nil {
		return nil, err
	}
	return FitFrame(ctx, frame, cfg)
}

// FitFrame works like Fit for a table that is already open; cfg.Data is only recorded.
func FitFrame(ctx context.Context, frame *data.Frame, cfg Config) (*Model, error) {
	if ctx == nil || frame == nil || slices.Contains(frame.Columns, nil) {
		return nil, errNil
	}
	began := time.Now()
	defer shard.LimitThreads(cfg.Threads)()
	cfg.comm = ranks.FromContext(ctx)
	m, oracle, err := prepareTraining(ctx, frame, cfg)
	if err != nil {
		return nil, err
	}
	if err = m.trainAndCheckDisk(ctx, oracle, began); m.Coefficients == nil {
		m.Run.Close()
		return nil, err
	}
	if !cfg.KeepRows {
		m.Run.Close()
		m.Run = nil
	}
	return m, err
}

// trainAndCheckDisk works like trainAll, but removes all coefficients if rows on disk were lost.
func (m *Model) trainAndCheckDisk(ctx context.Context, oracle tune.Oracle, began time.Time) error {
	err := m.trainAll(ctx, oracle, began)
	if m.Run.Err() != nil {
		m.Coefficients = nil
	}
	return m.Run.disk.addAdvice(err)
}

// trainAll trains the baselines, chooses a level if none is set, and trains the robust model.
func (m *Model) trainAll(ctx context.Context, oracle tune.Oracle, began time.Time) error {
	var plain, balanced *dro.Result
	err := m.assessLevels(ctx)
	if err != nil {
		return err
	}
	if !m.Config.NoBaseline {
		if plain, balanced, err = m.solveBaselines(ctx, oracle, began); err != nil {
			return err
		}
	}
	if !m.Config.Level.IsSet() {
		before := *m.Config.Mu
		if err := m.chooseLevel(ctx, plain.X, began); err != nil {
			return err
		}
		if m.muOfBaseline() != before || m.muOfBalanced() != before {
			if plain, balanced, err = m.solveBaselines(ctx, oracle, began); err != nil {
				return err
			}
		}
	}
	adversary, err := m.Config.Dual(m.Run.levelRows())
	if err != nil {
		return err
	}
	robust, err := m.solveRobust(ctx, oracle, adversary, plain, balanced, began)
	if robust == nil {
		return err
	}
	m.Result.ERM = m.summariseBaseline(oracle, adversary, m.muOfBaseline(), plain, plain == robust)
	m.Result.GroupWeighted = m.summariseBaseline(oracle, adversary, m.muOfBalanced(), balanced, balanced == robust)
	if err == nil && m.Baseline != nil && m.Config.Average != "plain" && m.Encoder.Target.Task == encode.Binary {
		err = m.fitTempered(ctx, oracle, adversary, began)
	}
	if err == nil {
		err = m.recalibrate(ctx, began)
	}
	// if training stopped early, the model predicts with the certified coefficients
	m.Config.Recalibrate = m.Recalibrated != nil
	if m.Coefficients != nil {
		m.fitSmearing()
		m.suggestHuber()
	}
	return err
}

// prepareTraining splits and encodes the rows of a table. It returns a model without coefficients, and the oracle of
// the losses of its training rows.
func prepareTraining(ctx context.Context, frame *data.Frame, cfg Config) (*Model, tune.Oracle, error) {
	cfg.setDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	if err := cfg.checkUnused(); err != nil {
		return nil, nil, err
	}
	cfg.Reading = cfg.readingOf(frame)
	cfg = cfg.addLogObserver()
	if builtin, ok := strings.CutPrefix(frame.Name(), datasets.Prefix); ok {
		if info, err := datasets.Get(builtin); err == nil && info.GroupsUnknown {
			cfg.GroupFeatures = false
		}
	}
	if cfg.comm != nil {
		if err := cfg.checkRanks(); err != nil {
			return nil, nil, err
		}
		return prepareTrainingOn(ctx, frame, cfg, nil)
	}
	disk, err := cfg.newDiskStorage(frame, false)
	if err != nil {
		return nil, nil, err
	}
	m, oracle, err := prepareTrainingOn(ctx, frame, cfg, disk)
	if disk == nil && errors.Is(err, data.ErrMemory) {
		var refused error
		if disk, refused = cfg.newDiskStorage(frame, true); disk == nil {
			return nil, nil, cmp.Or(refused, err)
		}
		return prepareTrainingOn(ctx, frame, cfg, disk)
	}
	return m, oracle, err
}

// prepareTrainingOn works like prepareTraining, but stores the training rows in disk; nil means memory.
func prepareTrainingOn(
	ctx context.Context, frame *data.Frame, cfg Config, disk *diskStorage,
) (m *Model, oracle tune.Oracle, err error) {
	defer func() {
		if err = disk.addAdvice(err); err != nil {
			disk.close()
		}
	}()
	rows, err := cfg.encodeRows(ctx, frame, nil, disk)
	if err != nil {
		return nil, nil, err
	}
	if rows, err = cfg.examineRows(ctx, frame, rows, disk); err != nil {
		return nil, nil, err
	}
	design, err := cfg.addGroupCoefficients(ctx, frame, rows)
	if err != nil {
		return nil, nil, err
	}
	fitted := rows.fitted
	encoder, train := fitted.Encoder, fitted.Train
	m = &Model{
		Schema: schema, Version: Version(), Trained: trainingTime(), Config: cfg, Encoder: encoder,
		Sources: frame.Sources, TrainRows: train.N, RowsGiven: cfg.Rows != nil, Periods: rows.periods,
		Run: &Run{Frame: frame, Train: train, rows: rows.Rows, disk: disk, validation: rows.validation},
	}
	m.recordStorage(fitted.Storage)
	m.addNotes(frame.NotesOn(encoder.Uses)...)
	if cfg.Filter != "" {
		left := rows.Total + rows.AllHeld
		if rows.validation != nil {
			left += rows.validation.N
		}
		m.addNotes(fmt.Sprintf("%d of %d %s satisfy the filter %q", left, frame.Rows,
			printable.Noun(frame.Rows, "row", "rows"), cfg.Filter))
	}
	m.addNotes(cfg.describeGroupFeatures(encoder))
	if m.Result.Design = design; design != nil {
		m.addNotes(design.describe())
	}
	m.addNotes(encoder.Notes...)
	if rows.Rows == nil { // otherwise a sample of rows would be sent between ranks
		encoder.MakeProfile(train, fitted.TrainReport, fitted.Storage)
	}
	trainReport, heldReport := fitted.TrainReport, fitted.HoldoutReport
	trainReport.Imputed, heldReport.Imputed = nil, nil // the encoder already notes the fills of training
	m.addNotes(trainReport.String())
	m.Run.Holdout, m.HoldoutRows = fitted.Holdout, rows.AllHeld-fitted.HoldoutReport.Dropped
	if s := heldReport.String(); s != "" {
		m.addNotes("hold-out rows: " + s)
	}
	if v := rows.validation; v != nil {
		v.report.Imputed = nil
		if s := v.report.String(); s != "" {
			m.addNotes("validation rows: " + s)
		}
	}
	if fitted.Holdout != nil {
		m.addNotes(noteUntrainedGroups(train.Groups, fitted.Holdout.Groups)...)
	}
	m.muGiven = m.Config.Mu != nil
	m.noteSmallWeights(rows.total, train.N)
	if err := m.agreeWithCheckpoint(cfg); err != nil {
		return nil, nil, err
	}
	m.addFindings(cfg.examined)
	m.Config = m.Config.fillFromData(encoder.Target.Task, rows.total)
	m.Config.ScaleTarget = m.Config.ScalesTarget()
	if err := m.Config.checkTask(encoder.Target.Task); err != nil {
		return nil, nil, err
	}
	if err := m.Config.checkFairness(&encoder.Target); err != nil {
		return nil, nil, err
	}
	if err := m.Config.checkReferenceGroup(train, fitted.Holdout); err != nil {
		return nil, nil, err
	}
	if err = m.setLoss(); err != nil {
		return nil, nil, err
	}
	measured := []*encode.Dataset{train, fitted.Holdout}
	if rows.validation != nil {
		measured = append(measured, rows.validation.Dataset)
	}
	for _, d := range measured {
		if err = m.checkTargets(frame, d); err != nil {
			return nil, nil, err
		}
	}
	if oracle, err = m.tuneTable(train).Oracle(); err != nil {
		return nil, nil, err
	}
	m.Run.Weight = rows.weight
	m.inferGroups()
	m.from = m.startingPoint()
	// to detect errors of the evaluation before the training
	if cfg.Evaluate == EvaluateCrossfit && cfg.KeepRows {
		if _, err := m.assignCrossfitFolds(); err != nil {
			return nil, nil, &CrossfitError{err}
		}
	}
	return m, oracle, nil
}

// recordStorage records how the rows are stored, with a note on rounding to float32 or an automatic choice of sparse
// storage.
func (m *Model) recordStorage(s design.Storage) {
	asked := m.Config.Storage
	m.Config.Storage = string(s)
	switch {
	case s == design.Float32Storage:
		m.addNotes("storage float32: the encoded features are rounded to float32, and the certificate holds for the " +
			"rounded features")
	case s == design.SparseStorage && asked != string(s):
		m.addNotes("stored sparsely, because most encoded values are zero")
	}
}

// solverOptions returns the options of the solver for a phase.
func (m *Model) solverOptions(phase string, began time.Time) dro.Options {
	c := m.Config
	s := dro.Options{X0: m.from, RelativeGap: c.Gap, MaxPasses: c.MaxPasses, Seed: c.Seed, Logf: c.Logf}
	if observe := m.Config.Observe; observe != nil {
		s.Observe = func(c dro.Check) {
			observe(Progress{
				Phase: phase, Passes: c.Passes, MaxPasses: m.Config.MaxPasses, Elapsed: time.Since(began),
				Upper: c.Upper, Lower: c.Lower, RelativeGap: c.Relative(), Target: m.Config.Gap,
			})
		}
	}
	return s
}

// solveBaselines trains ERM and, if there are groups, group-balanced ERM on the same rows, each with its own μ.
func (m *Model) solveBaselines(
	ctx context.Context, oracle tune.Oracle, began time.Time,
) (plain, balanced *dro.Result, err error) {
	rows := m.Run.levelRows()
	dual, err := level.Level{Average: "plain"}.Dual(rows)
	if err != nil {
		return nil, nil, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: m.regulariserAt(m.muOfBaseline())}
	if plain, err = m.solveBaseline(ctx, p, "erm", m.from, began); err != nil {
		return nil, nil, err
	}
	m.Baseline = plain.X
	if dual, err = (level.Level{Average: "balanced"}).Dual(rows); err != nil {
		return plain, nil, nil // there are fewer than two groups
	}
	p = &dro.Problem{Oracle: oracle, Dual: dual, Primal: m.regulariserAt(m.muOfBalanced())}
	if balanced, err = m.solveBaseline(ctx, p, "group-weighted erm", plain.X, began); err != nil {
		return nil, nil, err
	}
	m.GroupWeighted = balanced.X
	return plain, balanced, nil
}

// nameColumn replaces the coordinate in err by the name of its column.
func (m *Model) nameColumn(err error) error {
	var overflow *dro.OverflowError
	if !errors.As(err, &overflow) {
		return err
	}
	e := &data.Error{Path: m.Run.Frame.Name(),
		Column: m.Encoder.Columns[overflow.Coordinate/m.coefficientsPerColumn()].Name,
		Msg:    "the squares of its numbers overflow double precision", Hint: "divide the column by its scale"}
	if m.Config.Scale == "none" {
		e.Fixes = []fix.Fix{fix.Standardise}
	}
	return e
}

// muOfBaseline returns the μ of ERM.
func (m *Model) muOfBaseline() float64 { return *cmp.Or(m.Config.baselineMu, m.Config.Mu) }

// muOfBalanced returns the μ of group-balanced ERM.
func (m *Model) muOfBalanced() float64 { return *cmp.Or(m.Config.balancedMu, m.Config.Mu) }

// solveBaseline minimises the risk under the fixed weights of p, starting at start.
func (m *Model) solveBaseline(
	ctx context.Context, p *dro.Problem, phase string, start []float64, began time.Time,
) (*dro.Result, error) {
	s := m.solverOptions(phase, began)
	s.X0 = start
	res, err := m.solveOrResume(ctx, phase, p, nil, s)
	return res, m.nameColumn(err)
}

// summariseBaseline returns the risks of a baseline with the given μ, including its risk under the adversary of the
// model, or nil if res is nil. isModel states that the model is this baseline.
func (m *Model) summariseBaseline(
	oracle tune.Oracle, adversary dro.Dual, mu float64, res *dro.Result, isModel bool,
) *SummaryBaseline {
	if res == nil {
		return nil
	}
	loss := m.Run.Loss
	if !isModel {
		loss = lossesAt(oracle, res.X)
		defer memory.Release(oracle.Arena(), loss)
	}
	s := &SummaryBaseline{Status: statusText(res.Status, mu), Mu: mu, Objective: res.Objective,
		Risk: m.Run.weightedAverage(loss)}
	if m.Config.comm == nil && !m.Config.IsMeanOfModels() { // the weights are those of the training rows
		weights := memory.Make[float64](oracle.Arena(), len(loss))
		s.RobustRisk, _ = adversary.BestResponseTo(weights, loss)
		memory.Release(oracle.Arena(), weights)
	} else {
		s.RobustRisk, _, _ = dro.Evaluate(m.problem(oracle, adversary), res.X)
	}
	_, s.WorstGroup = m.Config.groupRisks(m.Run, loss)
	return s
}

// solveRobust minimises the worst-case risk of the level, sets the coefficients and the summary of the model, and
// returns the solution, or nil if there is none. If the level is a baseline, the solver is chosen automatically and the
// regulariser is the ridge penalty, it returns the solution of the baseline.
func (m *Model) solveRobust(
	ctx context.Context, oracle tune.Oracle, adversary dro.Dual, plain, balanced *dro.Result, began time.Time,
) (*dro.Result, error) {
	if err := m.checkWasserstein(); err != nil {
		return nil, err
	}
	p := m.problem(oracle, adversary)
	method, why := dro.Choose(p)
	asked := m.Config.Solver
	if asked == autoSolver {
		if method == nil {
			return nil, fmt.Errorf("set Config.Solver, since the default solver does not support this problem: %s", why)
		}
		m.Config.Solver = method.Name()
		m.addNotes(fmt.Sprintf("solver %s: %s", method.Name(), why))
	} else {
		method = primaldual.AfterPrefix(methodNamed(asked))
	}
	var res *dro.Result
	var err error
	switch {
	case m.Config.IsMeanOfModels():
		res, err = m.solveSubsets(ctx, began)
	case asked == autoSolver && m.Config.Average == "plain" && m.Config.Regulariser == nil:
		res = plain
	case asked == autoSolver && m.Config.Average == "balanced" && m.Config.Regulariser == nil:
		res = balanced
	default:
		s := m.solverOptions("robust", began)
		if chosen := m.Result.Selection; chosen != nil && chosen.Start != nil {
			s.X0 = chosen.Start
		}
		s.KeepDual = m.Config.KeepProof
		res, err = m.solveOrResume(ctx, "robust", p, method, s)
	}
	if res == nil {
		return nil, m.nameColumn(err)
	}
	m.Coefficients = res.X
	m.Run.Loss = lossesAt(oracle, res.X)
	m.Run.Weights, m.Run.dual = res.Weights, res.Dual
	if m.Config.Average == level.ValidationSubsets { // the weights refer to the validation rows
		m.Run.Weights = memory.Make[float64](m.Run.arena(), m.Run.Train.N)
	}
	for _, c := range res.Trace {
		m.Trace = append(m.Trace, TracePoint{c.Passes, c.Elapsed.Seconds(), finiteOrNil(c.Upper), finiteOrNil(c.Lower)})
	}
	m.fillSummary(res, p)
	return res, err
}

// fillSummary sets the fields of Result that describe a solution of p.
func (m *Model) fillSummary(res *dro.Result, p *dro.Problem) {
	s := &m.Result
	s.Status, s.Certified = statusText(res.Status, *m.Config.Mu), res.Status == dro.Certified
	s.Objective, s.RobustRisk, s.Tau = res.Objective, res.Risk, res.Tau
	s.Certificate = SummaryCertificate{
		Upper: finiteOrNil(res.Certificate.Upper), Lower: finiteOrNil(res.Certificate.Lower),
		Gap: finiteOrNil(res.Certificate.Gap()), RelativeGap: finiteOrNil(res.Certificate.Relative()),
	}
	s.Passes, s.Seconds = res.Passes, res.Elapsed.Seconds()
	s.Solver, s.Loss, s.Level = m.Config.Solver, m.Config.Loss, m.Config.Level.String()
	s.Mu, s.N, s.D = *m.Config.Mu, m.Run.Train.N, m.Run.Train.D
	s.Penalty, s.Nu = m.adversaryDivergence(p)
	squares := 0.0
	squares, s.MaxWeight = m.Run.weightConcentration(res.Weights)
	s.AverageRisk = m.Run.weightedAverage(m.Run.Loss)
	s.Constant, s.ClassConstant = finiteOrNil(m.fitConstant()), m.fitClassConstant()
	s.EffectiveSampleSize = 1 / squares
	s.Groups, s.WorstGroup = m.Config.groupRisks(m.Run, m.Run.Loss)
	if share := s.EffectiveSampleSize / float64(s.N); share < 0.05 && !m.Config.KeepsWeights() {
		advice := m.Config.AdviseMilder()
		if m.Config.Loss == "squared" {
			advice = strings.TrimPrefix(advice+" or --loss huber", " or ")
		}
		note := fmt.Sprintf("the adversary puts its weight on few rows (effective sample size %.3g of %d)",
			s.EffectiveSampleSize, s.N)
		if advice != "" {
			note += "; " + advice + " would spread the weight"
		}
		m.addNotes(note)
	}
	s.ConstantPrediction = m.isConstantModel(p.Oracle)
	if *m.Config.Mu == 0 && !s.Certified {
		m.addNotes("μ is 0: the optimum can be certified only if the data determine every coefficient; μ > 0 (mu) " +
			"removes this condition")
	}
}

// adversaryDivergence returns the divergence of an adversary over rows and ν, which is either set or the multiplier of
// the radius. For any other adversary it returns "" and 0.
func (m *Model) adversaryDivergence(p *dro.Problem) (penalty dro.Divergence, nu float64) {
	c := m.Config
	switch {
	case c.IsGroupwise() || !c.HasDivergence() || !c.Penalty.HasPenalty():
		return "", 0
	case c.Nu != nil:
		return c.Penalty, *c.Nu
	}
	if _, ok := p.Dual.(dro.Ball); !ok {
		return "", 0
	}
	_, nu, _ = dro.Evaluate(p, m.Coefficients)
	return c.Penalty, nu
}

// statusText returns the status as a Summary states it.
func statusText(s dro.Status, mu float64) string {
	if s != dro.Certified && s != dro.Cancelled && s != dro.Inconsistent && mu == 0 {
		return "uncertified"
	}
	return s.String()
}

// finiteOrNil returns nil for NaN and infinities, which JSON cannot encode.
func finiteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
