package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/ranks"
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

// The file: blocks of the training rows, those of the hold-out rows, vectors of one entry a
// row, all of it told by a cacheContent, and at the end where this lies, its SHA-256 and
// the mark of a whole file.
type cacheContent struct {
	Facts             map[string]string // what the rows depend on beside the files
	Files             []cacheFile
	Encoder           []byte // JSON
	Storage           data.Storage
	Train             cacheSet
	Held              *cacheSet
	Reports           [2]data.EncodeReport
	Weight            vector
	Filtered, AllHeld int
	Memory            int64 // that decided how many were drawn
}

type cacheFile struct{ Path, Stamp, SHA256 string }

type cacheSet struct {
	Rows      design.DiskLayout
	Names     []string
	Intercept int
	Target    vector
	Number    vector // of the rows in the table
	Groups    []cacheGrouping
}

type cacheGrouping struct {
	Name   string
	Labels []string
	Index  vector
}

// A vector is where one lies in the file, and what its bytes sum up to.
type vector struct {
	At  int64
	N   int
	Sum uint32
}

const cacheMark = "drotrain cache 1"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ofRows are the options that decide what the encoded rows are; others may differ.
var ofRows = []string{
	"target", "features", "drop", "groups", "max_levels", "min_count", "reference", "target_transform", "log", "square", "spline", "interact",
	"filter", "categorical", "positive", "impute", "scale", "scale_target", "intercept", "storage", "loss", "weight",
	"holdout", "seed", "holdout_data", "split", "group_holdout", "time", "reading",
}

// cacheFacts are what encoded rows depend on beside the contents of the files.
func (c Config) cacheFacts(f *data.Frame) (map[string]string, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var set map[string]json.RawMessage
	if err := json.Unmarshal(b, &set); err != nil {
		return nil, err
	}
	facts := map[string]string{"the version of drotrain": Version()}
	for _, name := range ofRows {
		facts["option "+name] = string(set[name])
	}
	var columns []string
	for _, col := range f.Columns {
		columns = append(columns, fmt.Sprintf("%s %s", col.Name, col.Type))
	}
	facts["the columns of the table"] = strings.Join(columns, ", ")
	return facts, nil
}

// keptRows are those of a training: what a cache has of it.
type keptRows struct {
	fitted   *data.Fitted
	weight   []float64
	filtered int         // rows that the filter left
	allHeld  int         // hold-out rows, before some were drawn of them
	dealt    *ranks.Rows // how they lie with ranks; nil: all are here
}

// rowsOf encodes the rows of a table, or takes them as they were kept. What lies on disk is
// o's.
func (c Config) rowsOf(ctx context.Context, f *data.Frame, o *outside) (*keptRows, error) {
	if c.KeepCache && c.Ranks != nil {
		return nil, errors.New("rows that lie with several ranks are not kept in a cache")
	}
	k, err := c.kept(f, o)
	if err != nil {
		return nil, err
	}
	if k != nil {
		o.disk = k.fitted.Train.X.(*design.Disk)
		return k, nil
	}
	rows, held, err := c.rows(ctx, f, o.room())
	if err != nil {
		return nil, err
	}
	k = &keptRows{filtered: len(rows) + len(held), allHeld: len(held)}
	if c.Ranks != nil {
		held = thinned(held, mostHeld, c.Seed)
	}
	if o != nil {
		columns, _ := c.columns(f)
		held = o.thin(held, columns, c.Seed)
	}
	if c.Ranks != nil {
		k.fitted, k.dealt, err = c.fitDealt(ctx, f, rows, held)
	} else {
		k.fitted, err = data.FitOutside(ctx, f, rows, held, c.Spec(), data.Storage(c.Storage), o.place())
	}
	if err != nil {
		return nil, err
	}
	if o != nil {
		o.disk = k.fitted.Train.X.(*design.Disk)
	}
	if k.weight, err = c.weights(ctx, f, k.fitted.Train); err != nil {
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
	content, err := readContent(file)
	if err != nil {
		return nil, &StaleCacheError{path, err.Error()}
	}
	facts, err := c.cacheFacts(f)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, what := range slices.Sorted(maps.Keys(facts)) {
		if was := content.Facts[what]; was != facts[what] {
			changed = append(changed, (&ChangedError{What: what, Was: was, Is: facts[what]}).Error())
		}
	}
	if content.Held != nil && content.AllHeld > content.Held.Rows.N+content.Reports[1].Dropped && content.Memory != o.memory {
		changed = append(changed, (&ChangedError{What: "the memory that hold-out rows are measured in", Was: size(content.Memory), Is: size(o.memory)}).Error())
	}
	files, err := content.differs(f)
	if err != nil {
		return nil, err
	}
	if changed = append(changed, files...); len(changed) > 0 {
		return nil, &StaleCacheError{path, strings.Join(changed, "; ")}
	}
	k := &keptRows{fitted: &data.Fitted{Encoder: &data.Encoder{}, Storage: content.Storage, TrainReport: content.Reports[0], HoldoutReport: content.Reports[1]}, allHeld: content.AllHeld, filtered: content.Filtered}
	if err := json.Unmarshal(content.Encoder, k.fitted.Encoder); err != nil {
		return nil, &StaleCacheError{path, err.Error()}
	}
	room := o.Room
	read := func() (err error) {
		if content.Weight.N > 0 {
			if k.weight, err = readVector[float64](file, room, content.Weight); err != nil {
				return err
			}
		}
		if content.Held != nil {
			again, err := os.Open(path) // its own, to be closed
			if err != nil {
				return err
			}
			defer again.Close()
			if k.fitted.Holdout, err = content.Held.dataset(again, nil, design.Place{Dir: path}); err != nil {
				return err
			}
			disk := k.fitted.Holdout.X.(*design.Disk)
			all := make([]int, disk.Layout().N)
			for i := range all {
				all[i] = i
			}
			k.fitted.Holdout.X = disk.Select(all)
			if err := disk.Err(); err != nil {
				return err
			}
		}
		k.fitted.Train, err = content.Train.dataset(file, room, o.Place)
		return err
	}
	if err := read(); err != nil {
		return nil, &StaleCacheError{path, err.Error()}
	}
	return k, nil
}

// differs says which files are not those that the rows were read from. A file whose stamp
// is another is read, for its SHA-256; the others need not be.
func (c *cacheContent) differs(f *data.Frame) (changed []string, err error) {
	if len(f.Sources) != len(c.Files) {
		return []string{fmt.Sprintf("there were %d files, now there are %d", len(c.Files), len(f.Sources))}, nil
	}
	same := true
	for i, stamp := range f.Stamps() {
		same = same && stamp != "" && stamp == c.Files[i].Stamp
	}
	if same {
		var sums []string
		for _, was := range c.Files {
			sums = append(sums, was.SHA256)
		}
		f.Known(sums)
		return nil, nil
	}
	if err := f.Fingerprint(); err != nil {
		return nil, err
	}
	for i, s := range f.Sources {
		if s.SHA256 != c.Files[i].SHA256 {
			changed = append(changed, fmt.Sprintf("file %d (%s) has changed", i+1, s.Path))
		}
	}
	return changed, nil
}

// readContent reads what a whole file tells of itself.
func readContent(file *os.File) (*cacheContent, error) {
	damaged := errors.New("it is damaged, or no cache at all")
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	const tail = 8 + 8 + sha256.Size + len(cacheMark)
	end := make([]byte, tail)
	if info.Size() < int64(tail) {
		return nil, damaged
	}
	if _, err := file.ReadAt(end, info.Size()-int64(tail)); err != nil {
		return nil, err
	}
	at, size := int64(binary.LittleEndian.Uint64(end)), int64(binary.LittleEndian.Uint64(end[8:]))
	if string(end[tail-len(cacheMark):]) != cacheMark || at < 0 || size < 0 || at+size != info.Size()-int64(tail) {
		return nil, damaged
	}
	b := make([]byte, size)
	if _, err := file.ReadAt(b, at); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); !bytes.Equal(sum[:], end[16:16+sha256.Size]) {
		return nil, damaged
	}
	c := &cacheContent{}
	return c, gob.NewDecoder(bytes.NewReader(b)).Decode(c)
}

// dataset reads the rows of a set. The matrix reads from the file.
func (s *cacheSet) dataset(file *os.File, room *paged.Room, place design.Place) (*data.Dataset, error) {
	d := &data.Dataset{N: s.Rows.N, D: s.Rows.D, Names: s.Names, Intercept: s.Intercept}
	var err error
	if s.Target.N > 0 {
		if d.Target, err = readVector[float64](file, room, s.Target); err != nil {
			return nil, err
		}
	}
	if d.Rows, err = readVector[int](file, room, s.Number); err != nil {
		return nil, err
	}
	for _, g := range s.Groups {
		index, err := readVector[int32](file, room, g.Index)
		if err != nil {
			return nil, err
		}
		d.Groups = append(d.Groups, data.Grouping{Name: g.Name, Labels: g.Labels, Index: index})
	}
	d.X, err = design.OpenDisk(place, file, s.Rows)
	return d, err
}

// keep keeps the rows of a training in a file that has its name when it is whole.
func (c Config) keep(ctx context.Context, f *data.Frame, o *outside, k *keptRows) error {
	path := c.cachePath()
	if path == "" {
		return nil
	}
	facts, err := c.cacheFacts(f)
	if err != nil {
		return err
	}
	content := cacheContent{Facts: facts, Storage: k.fitted.Storage, Reports: [2]data.EncodeReport{k.fitted.TrainReport, k.fitted.HoldoutReport}, Filtered: k.filtered, AllHeld: k.allHeld, Memory: o.memory}
	for i, stamp := range f.Stamps() {
		content.Files = append(content.Files, cacheFile{f.Sources[i].Path, stamp, f.Sources[i].SHA256})
	}
	if content.Encoder, err = json.Marshal(k.fitted.Encoder); err != nil {
		return err
	}
	w := &cacheWriter{ctx: ctx, file: o.disk.File()}
	content.Train = w.set(k.fitted.Train, o.disk.Layout())
	if held := k.fitted.Holdout; held != nil {
		layout, err := design.CopyTo(w.file, held.X)
		w.err = errors.Join(w.err, err)
		set := w.set(held, layout)
		content.Held = &set
	}
	content.Weight = writeVector(w, k.weight)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&content); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	size := uint64(b.Len())
	at := w.write(b.Bytes())
	end := binary.LittleEndian.AppendUint64(nil, uint64(at))
	end = append(binary.LittleEndian.AppendUint64(end, size), sum[:]...)
	w.write(append(end, cacheMark...))
	if w.err == nil {
		w.err = paged.Name(w.file, path)
	}
	if w.err != nil {
		return fmt.Errorf("the rows cannot be kept in %s: %w", path, w.err)
	}
	c.announce(fmt.Sprintf("rows kept in %s for other runs", path))
	return nil
}

// A cacheWriter adds to the end of a file until something fails.
type cacheWriter struct {
	ctx  context.Context
	file *os.File
	err  error
}

func (w *cacheWriter) set(d *data.Dataset, rows design.DiskLayout) cacheSet {
	s := cacheSet{Rows: rows, Names: d.Names, Intercept: d.Intercept, Target: writeVector(w, d.Target), Number: writeVector(w, d.Rows)}
	for _, g := range d.Groups {
		s.Groups = append(s.Groups, cacheGrouping{g.Name, g.Labels, writeVector(w, g.Index)})
	}
	return s
}

// write adds bytes and says where they begin.
func (w *cacheWriter) write(b []byte) int64 {
	at, err := w.file.Seek(0, io.SeekEnd)
	if w.err = errors.Join(w.err, err, w.ctx.Err()); w.err == nil {
		_, w.err = w.file.Write(b)
	}
	return at
}

func writeVector[T int | int32 | float64](w *cacheWriter, v []T) vector {
	raw := rawOf(v)
	return vector{At: w.write(raw), N: len(v), Sum: crc32.Checksum(raw, castagnoli)}
}

func readVector[T int | int32 | float64](file *os.File, room *paged.Room, at vector) ([]T, error) {
	v := paged.Make[T](room, at.N)
	raw := rawOf(v)
	if _, err := file.ReadAt(raw, at.At); err != nil {
		return nil, err
	}
	if crc32.Checksum(raw, castagnoli) != at.Sum {
		return nil, errors.New("it is damaged: a checksum is another")
	}
	return v, nil
}

// rawOf is the memory of a slice.
func rawOf[T int | int32 | float64](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}
