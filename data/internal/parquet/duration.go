package parquet

import (
	"encoding/base64"

	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/drotrain/drotrain/data/internal/ipc"
)

// readDurations returns the units a second of the columns that were durations, by name. Parquet has no type for
// them: pandas, polars and pyarrow store integers, and what these were in the Arrow schema that they
// leave beside the columns.
func readDurations(meta *metadata.FileMetaData) map[string]float64 {
	text := meta.KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return nil
	}
	perSecond, err := ipc.ReadDurations(b)
	if err != nil {
		return nil
	}
	return perSecond
}
