package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
)

// sharedFiles are the same for all ranks. Those that all see as one file, by its size, its times
// and its number, are read for their SHA-256 by one rank each; others by every rank.
type sharedFiles struct {
	comm   ranks.Comm
	f      *data.Frame
	shared []bool
}

// shareChecksums refuses ranks that see another number of files or rows than rank 0, and leaves the
// SHA-256 of some to others.
func shareChecksums(c ranks.Comm, f *data.Frame) (*sharedFiles, error) {
	all, err := gatherFromRanks(c, f.Stamps())
	if err != nil {
		return nil, err
	}
	rows := ranks.GatherValues(c, float64(f.Rows))
	d := &sharedFiles{c, f, make([]bool, len(f.Sources))}
	for r, stamps := range all {
		if len(stamps) != len(all[0]) {
			return nil, fmt.Errorf("rank %d sees %d files, rank 0 sees %d", r, len(stamps), len(all[0]))
		}
		if rows[r] != rows[0] {
			return nil, fmt.Errorf("rank %d sees a table of %v rows, rank 0 one of %v", r, rows[r], rows[0])
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

// checksumRank returns the rank that takes the SHA-256 of a file that all share: the last ones first, since
// rank 0 has more to do than others.
func (d *sharedFiles) checksumRank(i int) int { return d.comm.Size() - 1 - i%d.comm.Size() }

// checkSameFiles refuses ranks that have read files of other contents than rank 0, and completes what
// is known of them.
func (d *sharedFiles) checkSameFiles() error {
	if d == nil { // there is one process
		return nil
	}
	all, err := gatherFromRanks(d.comm, d.f.Sources)
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
				return fmt.Errorf("rank %d sees another file than rank 0: %s has the SHA-256 %.12s…, and %s %.12s…", r, s.Path, s.SHA256, first.Path, first.SHA256)
			}
		}
	}
	return nil
}

// gatherFromRanks returns what every rank has.
func gatherFromRanks[T any](c ranks.Comm, own T) ([]T, error) {
	b, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	all := make([]T, c.Size())
	for r, b := range ranks.GatherBytes(c, b) {
		if err := json.Unmarshal(b, &all[r]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
