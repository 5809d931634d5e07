package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/internal/dealt"
	"github.com/drotrain/drotrain/train/internal/rowfile"
)

// CacheFile is the file of Config.Cache that KeepCache keeps rows in, encoded and in order.
const CacheFile = "rows.drotrain-cache"

// A StaleCacheError says why rows that an earlier run kept are not those that this one
// would encode.
type StaleCacheError struct{ Path, Why string }

func (e *StaleCacheError) Error() string {
	return fmt.Sprintf("the rows kept in %s are not those of this run: %s", e.Path, e.Why)
}

// Hint is what may be done about it.
func (e *StaleCacheError) Hint() string {
	return "delete it to keep these rows instead, or name another directory with --cache"
}

// ofRows are the options that decide what the encoded rows are; others may differ.
var ofRows = []string{
	"target", "features", "drop", "groups", "max_levels", "min_count", "reference", "target_transform", "log", "square", "spline", "interact",
	"filter", "categorical", "positive", "impute", "scale", "scale_target", "intercept", "storage", "loss", "weight",
	"holdout", "seed", "holdout_data", "split", "group_holdout", "time", "reading",
}

// cacheFacts are what encoded rows depend on beside the contents of the files.
func (c Config) cacheFacts(f *data.Frame) map[string]string {
	set := c.set()
	facts := map[string]string{"the version of drotrain": Version()}
	for _, name := range ofRows {
		facts["option "+name] = string(set[name])
	}
	var columns []string
	for _, col := range f.Columns {
		columns = append(columns, fmt.Sprintf("%s %s", col.Name, col.Type))
	}
	facts["the columns of the table"] = strings.Join(columns, ", ")
	return facts
}

// keptRows are those of a training: what a cache has of it.
type keptRows struct {
	fitted   *data.Fitted
	weight   []float64
	filtered int         // rows that the filter left
	allHeld  int         // hold-out rows, of all ranks
	dealt    *ranks.Rows // how they lie with ranks; nil: all are here
}

// rowsOf encodes the rows of a table, or takes them as they were kept. What lies on disk is
// o's.
func (c Config) rowsOf(ctx context.Context, f *data.Frame, o *outside) (*keptRows, error) {
	if c.KeepCache && c.Rows != nil {
		return nil, errors.New("rows that a program has chosen are not kept in a cache")
	}
	if c.KeepCache && c.Ranks != nil {
		return nil, errors.New("rows that lie with several ranks are not kept in a cache")
	}
	k, err := c.kept(f, o)
	if err != nil {
		return nil, err
	}
	if k != nil {
		o.keeps(k.fitted)
		return k, nil
	}
	var shared *dealt.Files
	if c.Ranks != nil {
		if shared, err = dealt.DivideFiles(c.Ranks, f); err != nil {
			return nil, err
		}
	}
	if c.Ranks != nil {
		s, err := c.share(ctx, f)
		if err != nil {
			return nil, err
		}
		k = &keptRows{filtered: s.Total + s.AllHeld, allHeld: s.AllHeld, dealt: s.Rows}
		if k.fitted, err = c.fitDealt(ctx, f, shared, s); err != nil {
			return nil, err
		}
		k.weight, err = dealt.Weights(ctx, f, k.fitted.Train, c.Weight, k.dealt)
		return k, err
	}
	rows, held, err := c.rows(ctx, f, o.room())
	if err != nil {
		return nil, err
	}
	k = &keptRows{filtered: len(rows) + len(held), allHeld: len(held)}
	if o != nil {
		slices.Sort(held) // they are read in the order of the table
	}
	if k.fitted, err = data.FitOutside(ctx, f, rows, held, c.Spec(), data.Storage(c.Storage), o.place()); err != nil {
		return nil, err
	}
	o.keeps(k.fitted)
	if k.weight, err = dealt.Weights(ctx, f, k.fitted.Train, c.Weight, nil); err != nil {
		return nil, err
	}
	return k, c.keep(ctx, f, o, k)
}

// cachePath is where rows are kept; "" where they are not to be.
func (c Config) cachePath() string {
	if !c.KeepCache {
		return ""
	}
	return filepath.Join(c.Cache, CacheFile)
}

// kept returns the rows that an earlier run has kept; nil where there are none.
func (c Config) kept(f *data.Frame, o *outside) (*keptRows, error) {
	path := c.cachePath()
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	k, err := c.openKept(file, path, f, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	c.announce(fmt.Sprintf("rows taken as %s has them, and not read again", path))
	return k, nil
}

func (c Config) openKept(file *os.File, path string, f *data.Frame, o *outside) (*keptRows, error) {
	content, err := rowfile.Read(file)
	if err != nil {
		return nil, &StaleCacheError{path, err.Error()}
	}
	facts := c.cacheFacts(f)
	var changed []string
	for _, what := range slices.Sorted(maps.Keys(facts)) {
		if was := content.Facts[what]; was != facts[what] {
			changed = append(changed, (&ChangedError{What: what, Was: was, Is: facts[what]}).Error())
		}
	}
	files, err := content.Differs(f)
	if err != nil {
		return nil, err
	}
	if changed = append(changed, files...); len(changed) > 0 {
		return nil, &StaleCacheError{path, strings.Join(changed, "; ")}
	}
	k := &keptRows{fitted: &data.Fitted{Encoder: &data.Encoder{}, Storage: content.Storage, TrainReport: content.Reports[0], HoldoutReport: content.Reports[1]}, allHeld: content.AllHeld, filtered: content.Filtered}
	room := o.Room
	read := func() (err error) {
		if err = json.Unmarshal(content.Encoder, k.fitted.Encoder); err != nil {
			return err
		}
		if k.weight, err = rowfile.ReadVector[float64](file, room, content.Weight); err != nil {
			return err
		}
		if content.Held != nil {
			again, err := os.Open(path) // its own, to be closed
			if err != nil {
				return err
			}
			place := o.Place
			place.Memory = 0 // they are read once, in their order
			if k.fitted.Holdout, err = content.Held.Dataset(again, room, place); err != nil {
				again.Close()
				return err
			}
		}
		k.fitted.Train, err = content.Train.Dataset(file, room, o.Place)
		return err
	}
	if err := read(); err != nil {
		o.keeps(k.fitted)
		return nil, &StaleCacheError{path, err.Error()}
	}
	return k, nil
}

// keep keeps the rows of a training in a file that has its name when it is whole.
func (c Config) keep(ctx context.Context, f *data.Frame, o *outside, k *keptRows) error {
	path := c.cachePath()
	if path == "" {
		return nil
	}
	var err error
	content := rowfile.Content{Facts: c.cacheFacts(f), Storage: k.fitted.Storage, Reports: [2]data.EncodeReport{k.fitted.TrainReport, k.fitted.HoldoutReport}, Filtered: k.filtered, AllHeld: k.allHeld}
	for i, stamp := range f.Stamps() {
		content.Files = append(content.Files, rowfile.File{Path: f.Sources[i].Path, Stamp: stamp, SHA256: f.Sources[i].SHA256})
	}
	if content.Encoder, err = json.Marshal(k.fitted.Encoder); err != nil {
		return err
	}
	w := rowfile.NewWriter(ctx, o.disk.File())
	content.Train = w.Set(k.fitted.Train, o.disk.Layout())
	if k.fitted.Holdout != nil {
		set := w.Copy(k.fitted.Holdout)
		content.Held = &set
	}
	content.Weight = rowfile.WriteVector(w, k.weight)
	err = w.Finish(&content)
	if err == nil {
		err = paged.Name(o.disk.File(), path)
	}
	if err != nil {
		return fmt.Errorf("the rows cannot be kept in %s: %w", path, err)
	}
	c.announce(fmt.Sprintf("rows kept in %s for other runs", path))
	return nil
}
