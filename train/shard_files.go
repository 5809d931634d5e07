package train

import (
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
)

// sharedFiles holds which files are the same for all ranks, judging by size, time and identity. One rank computes
// the SHA-256 of each shared file; every rank computes that of the other files.
type sharedFiles struct {
	comm   ranks.Comm
	f      *data.Frame
	shared []bool
}

// shareChecksums assigns the checksums of shared files to ranks. It returns an error if a rank sees different files
// or rows than rank 0, and nil for a single process.
func shareChecksums(c ranks.Comm, f *data.Frame) (*sharedFiles, error) {
	if c == nil {
		return nil, nil
	}
	all, err := gather.Values(c, f.Stamps())
	if err != nil {
		return nil, err
	}
	rows, _ := ranks.GatherAll(c, []int{f.Rows})
	d := &sharedFiles{c, f, make([]bool, len(f.Sources))}
	for r, stamps := range all {
		if len(stamps) != len(all[0]) {
			return nil, fmt.Errorf("rank %d finds %d files, but rank 0 finds %d", r, len(stamps), len(all[0]))
		}
		if rows[r] != rows[0] {
			return nil, fmt.Errorf("rank %d reads a table of %v rows, but rank 0 reads %v rows", r, rows[r], rows[0])
		}
	}
	for i, stamp := range all[0] {
		d.shared[i] = stamp != "" && !slices.ContainsFunc(all, func(stamps []string) bool { return stamps[i] != stamp })
		if d.shared[i] && d.checksumRank(i) != c.Rank() {
			f.SetSum(i, "")
		}
	}
	return d, nil
}

// checksumRank returns the rank that computes the SHA-256 of shared file i. The last ranks are assigned first,
// since rank 0 has more to do.
func (d *sharedFiles) checksumRank(i int) int { return d.comm.Size() - 1 - i%d.comm.Size() }

// checkSameFiles distributes the checksums of shared files. It returns an error if a rank has read different
// content than rank 0.
func (d *sharedFiles) checkSameFiles() error {
	if d == nil { // there is only one process
		return nil
	}
	all, err := gather.Values(d.comm, d.f.Sources)
	if err != nil {
		return err
	}
	for i, first := range all[0] {
		if d.shared[i] {
			d.f.SetSum(i, all[d.checksumRank(i)][i].SHA256)
			continue
		}
		for r := range all {
			if s := all[r][i]; s.SHA256 != first.SHA256 {
				return fmt.Errorf("rank %d reads a different file from rank 0: %s has the SHA-256 %.12s…, but %s has %.12s…", r,
					s.Path,
					s.SHA256, first.Path, first.SHA256)
			}
		}
	}
	return nil
}
