package report

import (
	"fmt"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train"
)

// Memory in bytes for each evaluated row, in total and for each model: numbers, orders, sorted losses, influences.
const (
	measuredRow   = 55
	measuredModel = 55
)

// roomForBlocks is the memory in bytes that blocks of rows take while they are read and encoded. Small tables need
// less: a quarter of the memory for the evaluated rows. It is not reserved where the rows cannot be stored on disk.
const roomForBlocks = 48 << 20

// arenaFor returns an arena for vectors with one entry for each row while models are evaluated. It returns nil,
// which means memory, if the vectors fit there. If they do not, and Options.Cache is empty or there is too little memory,
// address space or disk space, it returns an error before any row is read.
func (o Options) arenaFor(f *data.Frame, rows, models int) (*memory.Arena, error) {
	if o.paging > 0 {
		arena, err := memory.NewArena(o.Cache, 1<<40)
		if err == nil {
			arena.MinSize = o.paging
		}
		return arena, err
	}
	budget := limit.NewBudget(o.Memory)
	may, free, binding := budget.Total, budget.Free(), budget.Limit
	need := int64(rows) * int64(measuredRow+measuredModel*models)
	room := min(need/4, roomForBlocks)
	if may < limit.LeastOnDisk {
		room = 0
	}
	if budget.Fits(need + room) {
		return nil, nil
	}
	refuse := func(advice, format string, args ...any) (*memory.Arena, error) {
		return nil, &train.MemoryError{Msg: f.Name() + ": " + fmt.Sprintf(format, args...), Advice: advice}
	}
	if o.Cache == "" {
		return refuse("name a directory for the results with Config.Cache, allow more memory, or evaluate on fewer rows",
			"evaluating %d rows with %d %s needs %d MB of memory, but only %d MB (%s) are free", rows, models,
			printable.Noun(models, "model", "models"), need>>20, free>>20, binding)
	}
	if may < limit.LeastOnDisk {
		return refuse("allow more memory",
			"%d MB of memory (%s) is not enough: evaluating rows stored on disk needs at least %d MB", may>>20, binding,
			limit.LeastOnDisk>>20)
	}
	if space := limit.AddressSpaceLimit(); space < need { // files on disk are memory-mapped
		return refuse("raise this limit, or limit memory with a control group or with Config.Memory instead",
			"evaluating %d rows with %d %s needs %d MB of address space, but only %d MB (%s) are left", rows, models,
			printable.Noun(models, "model", "models"), need>>20, space>>20, limit.Ulimit)
	}
	dir := limit.NearestExistingDir(o.Cache)
	disk, err := limit.DiskFree(dir)
	if err != nil {
		return nil, fmt.Errorf("the results for the rows cannot be stored in %s: %w", dir, err)
	}
	if disk < need {
		return refuse("name a directory on another disk with Config.Cache, or allow more memory",
			"evaluating %[1]d rows with %[2]d %[3]s needs %[4]d MB, but only %[6]d MB are free in %[5]s and only %[7]d MB "+
				"of memory (%[8]s) are free", rows, models,
			printable.Noun(models, "model", "models"), need>>20, dir, disk>>20, free>>20, binding)
	}
	if o.Announce != nil {
		o.Announce(fmt.Sprintf("the results for the rows need %d MB and the memory limit is %d MB (%s), so they are "+
			"stored in %s", need>>20, may>>20, binding, dir))
	}
	return memory.NewArena(dir, limit.ResidentLimit(may))
}

// Close releases evaluated rows that are stored on disk. Input must not be used afterwards.
func (x *Measured) Close() { x.arena.Close() }
