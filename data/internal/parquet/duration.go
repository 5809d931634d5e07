package parquet

import (
	"encoding/base64"

	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/drotrain/drotrain/data/internal/ipc"
)

// readDurations returns the units per second of duration columns by name. Parquet has no type for durations:
// pandas, polars and pyarrow store integers, and the original type in an Arrow schema in the metadata.
func readDurations(meta *metadata.FileMetaData) map[string]float64 {
	text := meta.KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil
	}
	perSecond := map[string]float64(nil)
	if b, err := base64.StdEncoding.DecodeString(*text); err == nil {
		perSecond, _ = ipc.ReadDurations(b) // without it they are integers
	}
	return perSecond
}
