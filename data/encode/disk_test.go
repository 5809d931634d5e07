package encode

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// outside is a place for rows in a directory of the test, with buckets as small as they can
// be.
func outside(t *testing.T) *design.DiskStorage {
	dir := t.TempDir()
	arena, err := memory.NewArena(dir, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	arena.MinSize = 1
	t.Cleanup(func() {
		arena.Close()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
	})
	return &design.DiskStorage{Dir: dir, Arena: arena}
}

// Rows that are put in order on disk are those that are encoded in memory, bit for bit,
// in every storage, with what is said of them.
func TestFitTo_Disk(t *testing.T) {
	const n = 41_000 // three buckets of the training rows
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 1)
	train, held := shuffledRows(n)
	for i, s := range []Spec{
		{Target: "y", Impute: "drop", Scale: "none"},
		{Target: "y", Groups: []string{"region"}, Impute: "mean", Scale: "standard", ScaleTarget: true, Intercept: true},
	} {
		for _, storage := range [][]string{{"auto", "float64"}, {"float64", "float32", "sparse"}}[i] {
			want := fitRows(t, openFrame(t, path), train, held, s, Sink{Storage: design.Storage(storage)})
			got := fitRows(t, openFrame(t, path), train, held, s, Sink{Storage: design.Storage(storage), Disk: outside(t)})
			if _, ok := got.Train.X.(*design.Mapped); !ok {
				t.Fatalf("the matrix is a %T", got.Train.X)
			}
			what := "storage " + storage + ", scale " + s.Scale
			sameEncoder(t, what, want.Encoder, got.Encoder)
			sameDataset(t, what, want.Train, got.Train, false)
			sameDataset(t, what, want.Holdout, got.Holdout, false)
			if got.Train.X.Bytes() != want.Train.X.Bytes() { // with the explicit zeros of a sparse matrix
				t.Errorf("%s: %d bytes, in memory %d", what, got.Train.X.Bytes(), want.Train.X.Bytes())
			}
			if got.Storage != want.Storage || got.TrainReport.String() != want.TrainReport.String() ||
				got.HoldoutReport.String() != want.HoldoutReport.String() {
				t.Errorf("%s: %s %q %q, want %s %q %q", what, got.Storage, got.TrainReport, got.HoldoutReport, want.Storage,
					want.TrainReport, want.HoldoutReport)
			}
		}
	}
}

// What is wrong with rows is told as it is in memory, and leaves nothing behind; so does a
// directory that is not there, and a cancelled context.
func TestFitTo_FaultsOfDisk(t *testing.T) {
	csv := "y,a,b\n"
	for range 300 {
		csv += "1,2,3\n2,4,1e300\n3,5,4\n"
	}
	f := frameOf(t, strings.Replace(csv, "2,4,1e300", "2,nan,1e300", 1))
	s := Spec{Target: "y", Task: Regression, Impute: "error", Scale: "standard"}
	_, want := Fit(context.Background(), f, nil, nil, s, Sink{Storage: design.Float64Storage})
	_, got := Fit(context.Background(), f, nil, nil, s, Sink{Storage: design.Float64Storage, Disk: outside(t)})
	if want == nil || got == nil || got.Error() != want.Error() {
		t.Errorf("%v, in memory %v", got, want)
	}
	f = frameOf(t, csv)
	raw := Spec{Target: "y", Task: Regression, Impute: "error", Scale: "none"} // float32 has no 1e300
	_, want = Fit(context.Background(), f, nil, nil, raw, Sink{Storage: design.Float32Storage})
	_, got = Fit(context.Background(), f, nil, nil, raw, Sink{Storage: design.Float32Storage, Disk: outside(t)})
	if want == nil || got == nil || got.Error() != want.Error() || !strings.Contains(want.Error(),
		`column "b", row 2: the value 1e+300 exceeds the range of float32`) {
		t.Errorf("%v, in memory %v", got, want)
	}
	none := outside(t)
	none.Dir += "/none"
	if _, err := Fit(context.Background(), f, nil, nil, s, Sink{Storage: design.Float64Storage, Disk: none}); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
	if _, err := Fit(context.Background(), f, []int{1, 2, 1}, nil, s,
		Sink{Storage: design.Float64Storage, Disk: outside(t)}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, f, nil, nil, s, Sink{Storage: design.Float64Storage,
		Disk: outside(t)}); err != context.Canceled {
		t.Error(err)
	}
}

// One row is a matrix outside of memory, too.
func TestFitTo_OneRowOnDisk(t *testing.T) {
	f := frameOf(t, "y,x\n1,2\n2,3\n4,1\n3.5,3\n")
	got := fitRows(t, f, []int{2, 0, 3}, []int{1}, Spec{Target: "y", Scale: "none"},
		Sink{Storage: design.Float64Storage, Disk: outside(t)})
	if n, _ := got.Holdout.X.Dims(); n != 1 || got.Holdout.Target[0] != 2 {
		t.Errorf("%d rows held out, targets %v", n, got.Holdout.Target)
	}
	if _, ok := got.Holdout.X.(*design.Mapped); !ok {
		t.Errorf("the matrix held out is a %T", got.Holdout.X)
	}
}
