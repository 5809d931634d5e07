package parquet

import (
	"encoding/base64"

	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/drotrain/drotrain/data/internal/ipc"
)

// arrowSchema is the metadata key under which writers store the Arrow schema of a file.
const arrowSchema = "ARROW:schema"

// readArrowTypes returns the exact types that the columns had in Arrow, indexed by name. Parquet has no type for
// durations and does not store the names of time zones, but pandas, polars and pyarrow store the original types in
// the metadata.
func readArrowTypes(meta *metadata.FileMetaData) map[string]string {
	text := meta.KeyValueMetadata().FindValue(arrowSchema)
	if text == nil {
		return nil
	}
	var types map[string]string
	if b, err := base64.StdEncoding.DecodeString(*text); err == nil {
		types, _ = ipc.ReadExactTypes(b) // if there is an error, the columns are read as integers
	}
	return types
}
