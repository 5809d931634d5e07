package saddle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// snapshotVersion changes whenever what a snapshot holds does.
const snapshotVersion = 14

// A State writes the fields of a solve in progress to bytes, or reads them back:
// each type lists its mutable fields once, in visit, for both directions.
type State struct {
	buf     []byte
	most    int  // bytes it may grow to; 0: any
	damaged bool // what is read is not what was written
	Reading bool
	Err     error
}

// A snapshot ends with the checksum of what comes before.
var checksums = crc64.MakeTable(crc64.ECMA)

const checksumSize = 8

func seal(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, crc64.Checksum(b, checksums)) }

// unseal returns what was sealed, and whether it is that.
func unseal(b []byte) (body []byte, same bool) {
	k := len(b) - checksumSize
	if k < 0 {
		return b, false
	}
	return b[:k], binary.LittleEndian.Uint64(b[k:]) == crc64.Checksum(b[:k], checksums)
}

var errLarge = errors.New("it is larger than a snapshot may be")

func (s *State) word(v *uint64) {
	switch {
	case !s.Reading:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, *v)
	case len(s.buf) < 8:
		s.Err = errors.New("it is truncated")
	default:
		*v = binary.LittleEndian.Uint64(s.buf)
		s.buf = s.buf[8:]
	}
}

// Float visits a number.
func (s *State) Float(v *float64) {
	w := math.Float64bits(*v)
	s.word(&w)
	*v = math.Float64frombits(w)
}

// Integer visits an integer.
func (s *State) Integer(v *int) {
	w := uint64(*v)
	s.word(&w)
	*v = int(w)
}

// Boolean visits a boolean.
func (s *State) Boolean(v *bool) {
	w := uint64(0)
	if *v {
		w = 1
	}
	s.word(&w)
	*v = w == 1
}

// Floats visits slices whose lengths the problem fixes.
func (s *State) Floats(vs ...[]float64) {
	for _, v := range vs {
		if !s.Reading {
			if s.most > 0 && len(s.buf)+8*len(v) > s.most {
				s.Err = errLarge
			}
			if s.Err != nil {
				return
			}
			s.buf = slices.Grow(s.buf, 8*len(v))
			for _, a := range v {
				s.buf = binary.LittleEndian.AppendUint64(s.buf, math.Float64bits(a))
			}
			continue
		}
		for i := range v {
			if s.Err != nil {
				return
			}
			s.Float(&v[i])
		}
	}
}

// Generator visits the state of a generator.
func (s *State) Generator(src *rand.PCG) {
	if !s.Reading {
		b, _ := src.MarshalBinary() // never fails
		s.buf = append(s.buf, b...)
		return
	}
	const size = 20 // "pcg:" and two words
	if len(s.buf) < size {
		s.Err = errors.New("it is truncated")
		return
	}
	if err := src.UnmarshalBinary(s.buf[:size]); err != nil {
		s.Err = err
	}
	s.buf = s.buf[size:]
}

// head visits what a snapshot must agree with: the method and the problem. It
// fails on the first difference.
func (s *State) head(r *Run, name string) {
	same := func(what string, v float64) {
		got := v
		s.Float(&got)
		if s.Err == nil && got != v {
			s.Err = fmt.Errorf("its %s is %v, this run's %v", what, got, v)
		}
	}
	same("version", snapshotVersion)
	hash := func(text string) float64 {
		h := fnv.New32()
		h.Write([]byte(text))
		return float64(h.Sum32())
	}
	same("method (a checksum)", hash(name))
	p := r.Problem
	same("kind of losses, adversary and regulariser (a checksum)", hash(fmt.Sprintf("%T %T %T", p.Oracle, p.Dual, p.Primal)))
	same("number of samples", float64(r.Cert.N))
	same("number of parameters", float64(r.Cert.D))
	same("ν", r.Problem.Dual.Modulus())
	same("μ", r.Problem.Primal.Modulus())
	same("seed", float64(r.Settings.Seed))
}

// Visit lists what the loop itself, the certifier and the method hold.
func (l *Loop) Visit(s *State) {
	if s.head(l.Run, l.name); s.Err == nil && s.damaged {
		s.Err = errors.New("it is cut, or damaged")
	}
	if s.Err != nil {
		return
	}
	s.Float(&l.next)
	s.Float(&l.stride)
	s.Float(&l.dear)
	s.Integer(&l.idle)
	stalled := l.last == ErrStalled
	if s.Boolean(&stalled); stalled {
		l.last = ErrStalled // there is nothing to continue
	}
	s.result(l.Result)
	l.Cert.Visit(s)
	l.Method.Visit(s)
}

// snapshot hands the state of the solve to the settings' Snapshot.
func (l *Loop) snapshot() {
	if l.Cert.Rows != nil || l.Settings.SnapshotDue != nil && !l.Settings.SnapshotDue() {
		return
	}
	if l.Settings.Snapshot != nil {
		s := &State{most: l.Settings.SnapshotMost}
		if l.Visit(s); s.Err != nil {
			return
		}
		if state := seal(s.buf); s.most == 0 || len(state) <= s.most {
			l.Settings.Snapshot(state)
		}
	}
}

// resume continues from the settings' Resume.
func (l *Loop) resume() error {
	if l.Cert.Rows != nil {
		return errors.New("dro: a solve over several ranks cannot be resumed")
	}
	body, same := unseal(l.Settings.Resume)
	s := &State{buf: body, damaged: !same, Reading: true}
	if l.Visit(s); s.Err == nil && len(s.buf) > 0 {
		s.Err = errors.New("it is too long")
	}
	if s.Err == nil {
		s.Err = l.Cert.recognise()
	}
	if s.Err != nil {
		return fmt.Errorf("dro: the snapshot does not belong to this run: %w", s.Err)
	}
	l.before = l.Result.Trace[len(l.Result.Trace)-1].Elapsed
	return nil
}

// recognise evaluates the best point of a snapshot, which another problem of the same size
// has another objective at: the bounds of the snapshot are then none of this one.
func (c *Certifier) recognise() error {
	if math.IsInf(c.BestObjective, 1) {
		return nil
	}
	here := NewCertifier(c.Problem)
	defer here.Free()
	objective := here.Evaluate(c.BestX)
	off := math.Abs(c.Best.Upper-c.BestObjective) + here.Best.Upper - objective + unknownRounding*here.Exact.met
	if math.Abs(objective-c.BestObjective) <= off {
		return nil
	}
	return fmt.Errorf("its objective is %v at a point where this run's is %v: its losses, adversary or regulariser were others", c.BestObjective, objective)
}

func (s *State) result(res *Result) {
	s.Integer(&res.Iterations)
	count := len(res.Trace)
	s.Integer(&count)
	for i := range count {
		if s.Err != nil {
			return
		}
		if s.Reading {
			res.Trace = append(res.Trace, Check{})
		}
		c := &res.Trace[i]
		elapsed := int(c.Elapsed)
		s.Float(&c.Scale)
		s.Float(&c.Upper)
		s.Float(&c.Lower)
		s.Float(&c.Passes)
		s.Integer(&elapsed)
		c.Elapsed = time.Duration(elapsed)
	}
}

// Vectors is a list of vectors of length d.
func (s *State) Vectors(v *[][]float64, d int) {
	count := len(*v)
	if s.Integer(&count); s.Reading {
		if count < 0 || count > len(s.buf)/(8*d) {
			s.Err = errors.New("it is truncated")
			return
		}
		*v = make([][]float64, count)
		for k := range *v {
			(*v)[k] = make([]float64, d)
		}
	}
	s.Floats(*v...)
}
