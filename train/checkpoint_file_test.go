package train

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A stored part is loaded again; a changed fact and a damaged file are refused.
func TestCheckpoint_KeepsPartsAndRefusesChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out", "checkpoint")
	j := NewCheckpoint(path, time.Hour)
	if err := j.Agree("seed", "3"); err != nil || j.HasParts() {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("written before there is something to keep")
	}
	j.Store("first", []float64{0, 1})
	if _, err := os.Stat(path); err == nil {
		t.Error("a value was written before its time")
	}
	fold := j.forPart("fold 1")
	fold.Store("first", "another")
	if err := fold.Agree("seed", "4"); err != nil {
		t.Error(err)
	}
	j.Store("first", []float64{1, 2})
	j.Store("third", 3)
	if j.err != nil || j.Flush() != nil {
		t.Fatal(j.err)
	}
	k, err := ResumeCheckpoint(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	var x []float64
	if ok, err := k.Load("first", &x); !ok || err != nil || len(x) != 2 || x[1] != 2 {
		t.Error(ok, err, x)
	}
	if ok, _ := k.Load("second", &x); ok || !k.HasParts() {
		t.Error("parts differ")
	}
	var text string
	if ok, err := k.forPart("fold 1").Load("first", &text); !ok || err != nil || text != "another" {
		t.Error(ok, err, text)
	}
	var changed *ChangedError
	if err := k.Agree("seed", "4"); !errors.As(err, &changed) || changed.Was != "3" || k.Agree("seed", "3") != nil ||
		k.Agree("new", "") != nil {
		t.Error(err)
	}
	if facts := k.Facts("se"); facts["ed"] != "3" {
		t.Error(facts)
	}
	b := contents(t, path)
	for at := range b {
		c := append([]byte(nil), b...)
		c[at] ^= 0x10
		put(t, path, string(c))
		if _, err := ResumeCheckpoint(path, 0); err == nil {
			t.Fatalf("byte %d changed, and no error", at)
		}
	}
	if err := k.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := ResumeCheckpoint(path, 0); !errors.Is(err, os.ErrNotExist) || k.Remove() != nil {
		t.Error(err)
	}
}

// Parts that have been forgotten take no memory and are not written; others remain.
func TestCheckpoint_Forget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	j := NewCheckpoint(path, time.Hour)
	j.forPart("choice").Store("fold 1", 1)
	j.Store("choice", 2)
	j.forget("choice" + partSeparator)
	if err := j.Flush(); err != nil {
		t.Fatal(err)
	}
	k, err := ResumeCheckpoint(path, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]*Checkpoint{"kept": j, "read again": k} {
		var x int
		if ok, _ := of.forPart("choice").Load("fold 1", &x); ok {
			t.Errorf("%s: the part is still there", name)
		}
		if ok, err := of.Load("choice", &x); !ok || err != nil || x != 2 {
			t.Errorf("%s: %v, %v, %d", name, ok, err, x)
		}
	}
}

// A checkpoint that cannot be written reports an error and keeps its parts in memory.
func TestCheckpoint_UnwritableFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	j := NewCheckpoint(filepath.Join(file, "checkpoint"), 0)
	j.Store("x", 1)
	if j.err == nil {
		t.Error("no error")
	}
	var x int
	if ok, err := j.Load("x", &x); !ok || err != nil || x != 1 {
		t.Error(ok, err)
	}
}

// A nil checkpoint stores nothing.
func TestCheckpoint_Nil(t *testing.T) {
	var j *Checkpoint
	var x int
	done, err := j.Load("part", &x)
	j.Store("part", 3)
	if err = errors.Join(err, j.Agree("seed", "3"), j.Flush(), j.Remove()); err != nil || done {
		t.Error(err, done)
	}
	if j.forPart("fold") != nil || j.HasParts() || len(j.Facts("")) != 0 {
		t.Error("it keeps something")
	}
}

// Values that gob cannot encode or decode are errors, even if the checksum is right.
func TestCheckpoint_UnreadableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	j := NewCheckpoint(path, time.Hour)
	if j.Store("part", func() {}); j.err == nil {
		t.Error("a function was kept")
	}
	j = NewCheckpoint(path, 0) // written at once
	if j.Store("part", "text"); j.err != nil {
		t.Fatal(j.err)
	}
	k, err := ResumeCheckpoint(path, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if ok, err := k.Load("part", &number); ok || err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a text was read as a number: %v, %v", ok, err)
	}
	if k.Agree("seed", "3") != nil {
		t.Error("a journal without facts")
	}
	sum := sha256.Sum256([]byte("no content"))
	if err := os.WriteFile(path, slices.Concat([]byte(checkpointMagic), []byte("no content"), sum[:]), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ResumeCheckpoint(path, 0); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("content of another kind: %v", err)
	}
	long := strings.Repeat("x", 80)
	for was, want := range map[string]string{"": "not set", long: long + ",", long + "y": long + "…"} {
		if text := (&ChangedError{"seed", was, "1"}).Error(); !strings.Contains(text, "it was "+want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if err := errors.Join(k.Remove(), k.Remove()); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

// A pipe is refused: it has no end.
func TestResumeCheckpoint_NotARegularFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if _, err := ResumeCheckpoint(path, 0); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("got %v", err)
	}
}
