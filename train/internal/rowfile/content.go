package rowfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Content is what a file tells of itself. The file is blocks of the training rows, those
// of the hold-out rows, vectors of one entry a row, the content in gob, and at the end where
// this lies, its SHA-256 and the mark of a whole file.
type Content struct {
	Facts             map[string]string // what the rows depend on beside the files
	Files             []File
	Encoder           []byte // JSON
	Storage           data.Storage
	Train             Set
	Held              *Set
	Reports           [2]data.EncodeReport
	Weight            Vector
	Filtered, AllHeld int
}

// A File is one that the rows were read from.
type File struct{ Path, Stamp, SHA256 string }

// A Set is a dataset: where its rows and vectors lie.
type Set struct {
	Rows      design.DiskLayout
	Names     []string
	Intercept int
	Target    Vector
	Number    Vector // of the rows in the table
	Groups    []Grouping
}

// A Grouping is that of a data.Dataset.
type Grouping struct {
	Name   string
	Labels []string
	Index  Vector
}

// A Vector is where one lies in the file, and what its bytes sum up to.
type Vector struct {
	At  int64
	N   int
	Sum uint32
}

const mark = "drotrain cache 2"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Differs says which files are not those that the rows were read from. A file whose stamp
// is another is read, for its SHA-256; the others need not be.
func (c *Content) Differs(f *data.Frame) (changed []string, err error) {
	if len(f.Sources) != len(c.Files) {
		return []string{fmt.Sprintf("%d %s, where there %s %d", len(f.Sources), printable.Noun(len(f.Sources), "file", "files"), printable.Noun(len(c.Files), "was", "were"), len(c.Files))}, nil
	}
	same := true
	for i, stamp := range f.Stamps() {
		same = same && stamp != "" && stamp == c.Files[i].Stamp
	}
	if same {
		for i, was := range c.Files {
			f.Known(i, was.SHA256)
		}
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

// Read reads what a whole file tells of itself.
func Read(file *os.File) (*Content, error) {
	damaged := errors.New("it is damaged, or no cache at all")
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	const tail = 8 + 8 + sha256.Size + len(mark)
	end := make([]byte, tail)
	if info.Size() < int64(tail) {
		return nil, damaged
	}
	if _, err := file.ReadAt(end, info.Size()-int64(tail)); err != nil {
		return nil, err
	}
	at, size, whole := binary.LittleEndian.Uint64(end), binary.LittleEndian.Uint64(end[8:]), uint64(info.Size())-uint64(tail)
	if string(end[tail-len(mark):]) != mark || size > whole || at != whole-size {
		return nil, damaged
	}
	b := make([]byte, size)
	if _, err := file.ReadAt(b, int64(at)); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); !bytes.Equal(sum[:], end[16:16+sha256.Size]) {
		return nil, damaged
	}
	c := &Content{}
	return c, gob.NewDecoder(bytes.NewReader(b)).Decode(c)
}

// Dataset reads the rows of a set. The matrix reads from the file.
func (s *Set) Dataset(file *os.File, room *paged.Room, place design.Place) (*data.Dataset, error) {
	d := &data.Dataset{N: s.Rows.N, D: s.Rows.D, Names: s.Names, Intercept: s.Intercept}
	var err error
	if d.Target, err = ReadVector[float64](file, room, s.Target); err != nil {
		return nil, err
	}
	if d.Rows, err = ReadVector[int](file, room, s.Number); err != nil {
		return nil, err
	}
	for _, g := range s.Groups {
		index, err := ReadVector[int32](file, room, g.Index)
		if err != nil {
			return nil, err
		}
		d.Groups = append(d.Groups, data.Grouping{Name: g.Name, Labels: g.Labels, Index: index})
	}
	d.X, err = design.OpenDisk(place, file, s.Rows)
	return d, err
}
