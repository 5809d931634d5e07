package main

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"
)

// A table is a design matrix with its two targets: signs for the logistic loss,
// real numbers with heavy-tailed noise for the others. A reference design has the
// one target of its file in both.
type table struct {
	n, d  int
	x     []float64 // n×d, row-major
	signs []float64
	real  []float64
	path  string // of the files, without .x, .signs, .real
}

func (t *table) target(loss string) []float64 {
	if loss == "logistic" {
		return t.signs
	}
	return t.real
}

func (t *table) targetPath(loss string) string {
	if loss == "logistic" {
		return t.path + ".signs"
	}
	return t.path + ".real"
}

// generate draws n rows of d normal columns, scaled from 1 down to 1/κ in equal
// ratios; labels of a logistic model with margins of variance 4; and real targets
// of signal variance 1 with half a Student t variable of 5 degrees of freedom on
// top. The coefficients make up for the column scales, so that κ changes the
// conditioning alone. Equal arguments give equal bits.
func generate(n, d int, kappa float64, seed uint64) *table {
	rng := rand.New(rand.NewPCG(seed, uint64(n)<<20^uint64(d)<<8^math.Float64bits(kappa)))
	t := &table{n: n, d: d, x: make([]float64, n*d), signs: make([]float64, n), real: make([]float64, n)}
	scale, truth := make([]float64, d), make([]float64, d)
	norm := 0.0
	for i := range d {
		scale[i] = math.Pow(kappa, -float64(i)/float64(max(1, d-1)))
		truth[i] = rng.NormFloat64()
		norm += truth[i] * truth[i]
	}
	for j := range n {
		row := t.x[j*d : (j+1)*d]
		m := 0.0
		for i := range row {
			z := rng.NormFloat64()
			m += z * truth[i]
			row[i] = z * scale[i]
		}
		m /= math.Sqrt(norm)
		t.signs[j] = -1
		if rng.Float64() < 1/(1+math.Exp(-2*m)) {
			t.signs[j] = 1
		}
		chi2 := 0.0
		noise := rng.NormFloat64()
		for range 5 {
			v := rng.NormFloat64()
			chi2 += v * v
		}
		t.real[j] = m + 0.5*noise/math.Sqrt(chi2/5)
	}
	return t
}

// readReference reads NAME_design.csv: the columns target and group are no features.
func readReference(dir, name string) (*table, error) {
	f, err := os.Open(filepath.Join(dir, name+"_design.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	t := &table{n: len(records) - 1}
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
				t.x = append(t.x, v)
			}
		}
	}
	if t.n > 0 {
		t.d = len(t.x) / t.n
	}
	t.signs = t.real
	return t, nil
}

// write stores the table under path as raw little-endian float64.
func (t *table) write(path string) error {
	t.path = path
	for suffix, v := range map[string][]float64{".x": t.x, ".signs": t.signs, ".real": t.real} {
		if err := os.WriteFile(path+suffix, littleEndian(v), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) remove() {
	for _, suffix := range []string{".x", ".signs", ".real"} {
		os.Remove(t.path + suffix)
	}
}

// littleEndian returns the bytes of v, without a copy where the machine stores
// them so.
func littleEndian(v []float64) []byte {
	if len(v) == 0 {
		return nil
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))
	}
	out := make([]byte, 0, 8*len(v))
	for _, a := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(a))
	}
	return out
}
