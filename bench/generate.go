package main

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A table is a design matrix and its two targets, stored in files: signs for the logistic loss, and real numbers
// with heavy-tailed noise for the others. A reference design has only one target; both fields hold it. The files
// PATH.x, PATH.signs and PATH.real contain little-endian float64 numbers, the design row after row, so that all
// solvers read the same bits.
type table struct {
	n, d        int
	signs, real []float64
	path        string
}

func (t *table) target(loss string) []float64 {
	if loss == "logistic" {
		return t.signs
	}
	return t.real
}

func targetSuffix(loss string) string {
	if loss == "logistic" {
		return ".signs"
	}
	return ".real"
}

// generatedRows is the number of rows drawn from one random stream, so that the numbers do not depend on the number
// of threads.
const generatedRows = 4096

// A recipe describes how the columns of a synthetic design and its targets are generated.
type recipe struct {
	scale, truth []float64
	norm, shared float64 // norm of the margins, and √ρ
}

// generate writes n rows of d normal columns, any two of them with correlation ρ, scaled from 1 down to 1/κ in
// equal ratios; labels of a logistic model with margins of variance 4; and real targets of signal variance 1 with
// half a Student t variable of 5 degrees of freedom on top. The coefficients compensate for the column scales, so
// that κ affects only the conditioning. Equal arguments yield equal bits.
func generate(path string, n, d int, s source, seed uint64) (*table, error) {
	t := &table{n: n, d: d, signs: make([]float64, n), real: make([]float64, n), path: path}
	key := math.Float64bits(s.Kappa) ^ math.Float64bits(s.Rho)<<1 ^ uint64(n)<<20 ^ uint64(d)<<8
	r := newRecipe(d, s, rand.New(rand.NewPCG(seed, key)))
	f, err := os.Create(path + ".x")
	if err != nil {
		return nil, err
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for g := range failed {
		wg.Go(func() {
			block := make([]float64, generatedRows*d)
			for failed[g] == nil {
				k := int(next.Add(1) - 1)
				lo, hi := k*generatedRows, min(n, (k+1)*generatedRows)
				if lo >= n {
					return
				}
				rng := rand.New(rand.NewPCG(seed, key^uint64(k+1)<<40))
				r.rows(rng, block[:(hi-lo)*d], t.signs[lo:hi], t.real[lo:hi])
				_, failed[g] = f.WriteAt(littleEndian(block[:(hi-lo)*d]), int64(8*lo*d))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(failed, f.Close())...); err != nil {
		return nil, err
	}
	return t, t.writeTargets()
}

func newRecipe(d int, s source, rng *rand.Rand) *recipe {
	r := &recipe{scale: make([]float64, d), truth: make([]float64, d), shared: math.Sqrt(s.Rho)}
	sum, squares := 0.0, 0.0
	for i := range d {
		r.scale[i] = math.Pow(s.Kappa, -float64(i)/float64(max(1, d-1)))
		r.truth[i] = rng.NormFloat64()
		sum += r.truth[i]
		squares += r.truth[i] * r.truth[i]
	}
	r.norm = math.Sqrt((1-s.Rho)*squares + s.Rho*sum*sum)
	return r
}

// rows draws rows and their targets.
func (r *recipe) rows(rng *rand.Rand, x, signs, real []float64) {
	d, own := len(r.scale), math.Sqrt(1-r.shared*r.shared)
	for j := range signs {
		common := 0.0
		if r.shared > 0 {
			common = r.shared * rng.NormFloat64()
		}
		m, row := 0.0, x[j*d:(j+1)*d]
		for i := range row {
			z := own*rng.NormFloat64() + common
			m += z * r.truth[i]
			row[i] = z * r.scale[i]
		}
		m /= r.norm
		signs[j] = -1
		if rng.Float64() < 1/(1+math.Exp(-2*m)) {
			signs[j] = 1
		}
		chi2, noise := 0.0, rng.NormFloat64()
		for range 5 {
			v := rng.NormFloat64()
			chi2 += v * v
		}
		real[j] = m + 0.5*noise/math.Sqrt(chi2/5)
	}
}

// readReference reads NAME_design.csv, in which the columns target and group are not features, and writes the
// design to files that begin with path.
func readReference(path, dir, name string) (*table, error) {
	f, err := os.Open(filepath.Join(dir, name+"_design.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	t := &table{n: len(records) - 1, path: path}
	var x []float64
	for _, record := range records[1:] {
		for i, s := range record {
			column := records[0][i]
			if column == "group" {
				continue
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: column %s: %w", name, column, err)
			}
			if column == "target" {
				t.real = append(t.real, v)
			} else {
				x = append(x, v)
			}
		}
	}
	if t.n > 0 {
		t.d = len(x) / t.n
	}
	t.signs = t.real
	if err := os.WriteFile(path+".x", littleEndian(x), 0o600); err != nil {
		return nil, err
	}
	return t, t.writeTargets()
}

func (t *table) writeTargets() error {
	err := os.WriteFile(t.path+".signs", littleEndian(t.signs), 0o600)
	if err == nil {
		err = os.WriteFile(t.path+".real", littleEndian(t.real), 0o600)
	}
	return err
}

// each calls do with blocks of the first n rows of the design, read from the file, some of them concurrently; rows
// holds the rows from lo on.
func (t *table) each(n int, do func(lo int, rows []float64)) error {
	f, err := os.Open(t.path + ".x")
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]float64, min(n, generatedRows)*t.d)
	for lo := 0; lo < n; lo += generatedRows {
		part := block[:(min(n, lo+generatedRows)-lo)*t.d]
		if err := readFloats(f, part, int64(8*lo*t.d)); err != nil {
			return err
		}
		do(lo, part)
	}
	return nil
}

func (t *table) remove() {
	for _, suffix := range []string{".x", ".signs", ".real"} {
		os.Remove(t.path + suffix)
	}
}

// readFile returns the numbers in the file.
func readFile(path string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	v := make([]float64, info.Size()/8)
	return v, readFloats(f, v, 0)
}

// readFloats fills v with numbers of the file from an offset on.
func readFloats(f *os.File, v []float64, offset int64) error {
	const most = 1 << 24 // maximum number of entries read at once
	for len(v) > 0 {
		part := v[:min(len(v), most)]
		if native {
			if _, err := f.ReadAt(bytesOf(part), offset); err != nil {
				return err
			}
		} else {
			raw := make([]byte, 8*len(part))
			if _, err := f.ReadAt(raw, offset); err != nil {
				return err
			}
			for i := range part {
				part[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
		}
		offset += int64(8 * len(part))
		v = v[len(part):]
	}
	return nil
}

// native reports whether the machine stores numbers in the same byte order as the files.
var native = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of v as bytes.
func bytesOf(v []float64) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))
}

// littleEndian returns the bytes of v, without a copy on a native machine.
func littleEndian(v []float64) []byte {
	if native {
		return bytesOf(v)
	}
	out := make([]byte, 0, 8*len(v))
	for _, a := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(a))
	}
	return out
}
