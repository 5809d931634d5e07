// Package journal keeps in a file what a long computation has finished, and a point to start its
// present part from, so that another run continues it. What must be the same in both runs is
// kept too, and a difference is refused by name. It imports internal/atomicfile alone.
// Start reading at Journal.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// A Journal is a file of values by the name of their part of the computation. Its methods are
// safe for concurrent use. A nil *Journal keeps nothing.
type Journal struct {
	*book
	prefix string // of all names
}

// A book is a file with the journals in it.
type book struct {
	path  string
	every time.Duration

	mu      sync.Mutex
	content content
	resumed bool
	next    time.Time // when the file is to be written
	err     error     // of the last write
}

type content struct {
	Facts map[string]string // what must be the same
	Parts map[string][]byte
}

const magic = "drotrain journal 2\n"

// New returns a journal that is written to path every so often. Nothing is written before there
// is something to keep.
func New(path string, every time.Duration) *Journal {
	j := &Journal{book: &book{path: path, every: every, next: time.Now().Add(every)}}
	j.content = content{map[string]string{}, map[string][]byte{}}
	return j
}

// Resume reads the journal at path and goes on with it. Errors name the file: there is
// none, or it is damaged.
func Resume(path string, every time.Duration) (*Journal, error) {
	j := New(path, every)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no checkpoint: it is not a regular file", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < sha256.Size {
		return nil, fmt.Errorf("%s is no checkpoint of this version", path)
	}
	if sum := sha256.Sum256(rest[sha256.Size:]); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, fmt.Errorf("%s is damaged: its checksum is another", path)
	}
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(&j.content); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if j.content.Parts == nil { // an empty map is not written
		j.content.Parts = map[string][]byte{}
	}
	if j.content.Facts == nil {
		j.content.Facts = map[string]string{}
	}
	j.resumed = true
	return j, nil
}

// Within returns a journal in the file of j whose names begin with a part's: that of a
// computation within the computation.
func (j *Journal) Within(part string) *Journal {
	if j == nil {
		return nil
	}
	return &Journal{j.book, j.prefix + part + ": "}
}

// A ChangedError says what is not as it was when the journal was begun.
type ChangedError struct{ What, Was, Is string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed: it was %s, now it is %s", e.What, show(e.Was), show(e.Is))
}

func show(v string) string {
	if v == "" {
		return "not set"
	}
	if len(v) > 80 {
		v = v[:80] + "…"
	}
	return v
}

// Fact returns the value recorded under a name in a journal that is resumed, and whether there is one.
func (j *Journal) Fact(what string) (value string, ok bool) {
	if j == nil {
		return "", false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	value, ok = j.content.Facts[j.prefix+what]
	return value, ok
}

// Agree notes a fact that must be the same in a run that goes on; in one that does,
// another value is a *ChangedError.
func (j *Journal) Agree(what, value string) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if was, ok := j.content.Facts[j.prefix+what]; ok && was != value {
		return &ChangedError{what, was, value}
	}
	j.content.Facts[j.prefix+what] = value
	return nil
}

// Facts returns those whose names begin with a prefix, by the rest of their names.
func (j *Journal) Facts(prefix string) map[string]string {
	out := map[string]string{}
	if j == nil {
		return out
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for k, v := range j.content.Facts {
		if rest, ok := strings.CutPrefix(k, j.prefix+prefix); ok {
			out[rest] = v
		}
	}
	return out
}

// Load stores the value of a part in into, and reports whether the journal has one.
func (j *Journal) Load(part string, into any) (bool, error) {
	if j == nil {
		return false, nil
	}
	j.mu.Lock()
	b, ok := j.content.Parts[j.prefix+part]
	j.mu.Unlock()
	if !ok {
		return false, nil
	}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(into); err != nil {
		return false, fmt.Errorf("%s: %q cannot be read: %w", j.path, part, err)
	}
	return true, nil
}

// Store keeps the value of a part: that of one that is finished, or a point to start it from
// again. The file is written when the last time was long enough ago, or by Flush.
func (j *Journal) Store(part string, value any) {
	if j == nil {
		return
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(value)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.err = err
		return
	}
	j.content.Parts[j.prefix+part] = b.Bytes()
	if !time.Now().Before(j.next) {
		j.write()
	}
}

// Flush writes what is known now.
func (j *Journal) Flush() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write()
	return j.err
}

// write writes the file. The lock is held.
func (j *Journal) write() {
	var b bytes.Buffer
	if j.err = gob.NewEncoder(&b).Encode(&j.content); j.err != nil {
		return
	}
	if j.err = os.MkdirAll(filepath.Dir(j.path), 0o777); j.err == nil {
		j.err = atomicfile.Write(j.path, true, func(w io.Writer) error {
			sum := sha256.Sum256(b.Bytes())
			_, err := io.Copy(w, io.MultiReader(strings.NewReader(magic), bytes.NewReader(sum[:]), &b))
			return err
		})
	}
	j.next = time.Now().Add(j.every)
}

// Begun reports whether the journal has the value of a part.
func (j *Journal) Begun() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.content.Parts) > 0
}

// Err returns why the last write failed, if it did: the computation goes on without.
func (j *Journal) Err() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Resumed reports that the journal was begun by another run.
func (j *Journal) Resumed() bool { return j != nil && j.resumed }

// Remove takes the file away: there is nothing to go on with.
func (j *Journal) Remove() error {
	if j == nil {
		return nil
	}
	if err := os.Remove(j.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
