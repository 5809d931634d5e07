package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// A Checkpoint stores the finished parts of a training run (folds, candidates, the choice of a level) and the best
// point of each solve in a file, from which another run can resume. A resumed run reads the rows again and
// certifies every solution again to the requested gap. The checkpoint also stores facts that must be equal in both
// runs, such as options. Set it as Config.Checkpoint. Its methods are safe for concurrent use; a nil *Checkpoint
// stores nothing.
type Checkpoint struct {
	*checkpointFile
	prefix string // prefix of the names of facts and parts
}

// A checkpointFile is the file shared by a Checkpoint and the checkpoints of its parts.
type checkpointFile struct {
	path  string
	every time.Duration

	mu      sync.Mutex
	content checkpointContent
	next    time.Time // time of the next write
	err     error     // error of the last write
}

// checkpointContent holds the facts that must agree and the encoded values of the parts.
type checkpointContent struct {
	Facts map[string]string
	Parts map[string][]byte
}

// A checkpointPart is the encoded value of a part with its name.
type checkpointPart struct {
	Name  string
	Value []byte
}

// checkpointMagic begins a file. The facts, the number of parts, every part and the SHA-256 of all of these follow.
const checkpointMagic = "drotrain journal 3\n"

// encode writes the content part by part, since all values together may take most of the memory.
func (c *checkpointContent) encode(w io.Writer) error {
	to := gob.NewEncoder(w)
	err := errors.Join(to.Encode(c.Facts), to.Encode(len(c.Parts)))
	for name, value := range c.Parts {
		if err == nil {
			err = to.Encode(checkpointPart{name, value})
		}
	}
	return err
}

// decode reads the output of encode into c, whose maps must exist.
func (c *checkpointContent) decode(r io.Reader) error {
	from, parts := gob.NewDecoder(r), 0
	err := errors.Join(from.Decode(&c.Facts), from.Decode(&parts))
	for ; parts > 0 && err == nil; parts-- {
		var p checkpointPart
		err = from.Decode(&p)
		c.Parts[p.Name] = p.Value
	}
	return err
}

// NewCheckpoint returns a checkpoint whose methods write path at most once per interval, except Flush. The first write
// creates the file and its directory; Remove deletes the file.
func NewCheckpoint(path string, every time.Duration) *Checkpoint {
	content := checkpointContent{map[string]string{}, map[string][]byte{}}
	return &Checkpoint{checkpointFile: &checkpointFile{path: path, every: every, content: content,
		next: time.Now().Add(every)}}
}

// ResumeCheckpoint reads the checkpoint at path, and then works like NewCheckpoint. If there is no file, the error wraps
// fs.ErrNotExist.
func ResumeCheckpoint(path string, every time.Duration) (*Checkpoint, error) {
	j := NewCheckpoint(path, every)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a checkpoint: it is not a regular file", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(checkpointMagic))
	if !ok || len(rest) < sha256.Size {
		return nil, fmt.Errorf("%s is not a checkpoint of this version", path)
	}
	body, sum := rest[:len(rest)-sha256.Size], rest[len(rest)-sha256.Size:]
	if is := sha256.Sum256(body); !bytes.Equal(is[:], sum) {
		return nil, fmt.Errorf("%s is damaged: its checksum does not match", path)
	}
	if err := j.content.decode(bytes.NewReader(body)); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return j, nil
}

// partSeparator separates the name of a part from the names of its own parts.
const partSeparator = ": "

// forPart returns a checkpoint in the same file whose names are prefixed with the name of a part of the
// training.
func (j *Checkpoint) forPart(part string) *Checkpoint {
	if j == nil {
		return nil
	}
	return &Checkpoint{j.checkpointFile, j.prefix + part + partSeparator}
}

// A ChangedError reports a fact (an option, a file, the version) that differs from the checkpoint.
type ChangedError struct{ What, Was, Is string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed: it was %s, now it is %s", e.What, shortenFact(e.Was), shortenFact(e.Is))
}

// shortenFact shortens a value for an error message.
func shortenFact(v string) string {
	if v == "" {
		return "not set"
	}
	if len(v) > 80 {
		v = strings.ToValidUTF8(v[:80], "") + "…"
	}
	return v
}

// runLocked calls do while no other goroutine uses the checkpoint. If the checkpoint is nil, it does nothing.
func (j *Checkpoint) runLocked(do func()) {
	if j != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		do()
	}
}

// Agree records the value of a fact, or returns a *ChangedError if a different value is already recorded.
func (j *Checkpoint) Agree(what, value string) (err error) {
	j.runLocked(func() {
		if was, ok := j.content.Facts[j.prefix+what]; ok && was != value {
			err = &ChangedError{what, was, value}
			return
		}
		j.content.Facts[j.prefix+what] = value
	})
	return err
}

// Facts returns the facts whose names begin with prefix, without the prefix.
func (j *Checkpoint) Facts(prefix string) map[string]string {
	out := map[string]string{}
	j.runLocked(func() {
		for k, v := range j.content.Facts {
			if rest, ok := strings.CutPrefix(k, j.prefix+prefix); ok {
				out[rest] = v
			}
		}
	})
	return out
}

// Load decodes the stored value of a part into the variable that into points to, and reports whether the checkpoint
// has such a value.
func (j *Checkpoint) Load(part string, into any) (has bool, err error) {
	j.runLocked(func() {
		var b []byte
		if b, has = j.content.Parts[j.prefix+part]; !has {
			return
		}
		if err = gob.NewDecoder(bytes.NewReader(b)).Decode(into); err != nil {
			has, err = false, fmt.Errorf("%s: %q cannot be read: %w", j.path, part, err)
		}
	})
	return has, err
}

// Store records the value of a part: its result, or a point to restart from. It writes the file if the interval
// since the last write has passed; Flush writes it at once.
func (j *Checkpoint) Store(part string, value any) {
	j.runLocked(func() {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(value); err != nil {
			j.err = err
			return
		}
		j.content.Parts[j.prefix+part] = bytes.Clone(b.Bytes()) // without the spare capacity of the buffer
		if !time.Now().Before(j.next) {
			j.write()
		}
	})
}

// forget removes the parts whose names begin with prefix.
func (j *Checkpoint) forget(prefix string) {
	j.runLocked(func() {
		maps.DeleteFunc(j.content.Parts, func(name string, _ []byte) bool {
			return strings.HasPrefix(name, j.prefix+prefix)
		})
	})
}

// Flush writes the file now.
func (j *Checkpoint) Flush() (err error) {
	j.runLocked(func() {
		j.write()
		err = j.err
	})
	return err
}

// HasParts reports whether any part is stored.
func (j *Checkpoint) HasParts() (has bool) {
	j.runLocked(func() { has = len(j.content.Parts) > 0 })
	return has
}

// write writes the file. The caller must hold the lock.
func (j *Checkpoint) write() {
	if j.err = os.MkdirAll(filepath.Dir(j.path), 0o777); j.err == nil {
		j.err = atomicfile.Write(j.path, true, func(w io.Writer) error {
			if _, err := io.WriteString(w, checkpointMagic); err != nil {
				return err
			}
			sum := sha256.New()
			if err := j.content.encode(io.MultiWriter(w, sum)); err != nil {
				return err
			}
			_, err := w.Write(sum.Sum(nil))
			return err
		})
	}
	j.next = time.Now().Add(j.every)
}

// Remove deletes the file.
func (j *Checkpoint) Remove() error {
	if j == nil {
		return nil
	}
	if err := os.Remove(j.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
