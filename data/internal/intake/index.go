package intake

import (
	"encoding/json"

	"github.com/drotrain/drotrain/data/table"
)

// PandasKey is the key of the metadata that pandas stores in Parquet and Arrow files.
const PandasKey = "pandas"

// MarkIndexes sets Index in the columns that the metadata of pandas state to be the index of the rows. It ignores
// metadata that it cannot parse.
func MarkIndexes(columns []*table.Column, metadata string) {
	var stored struct {
		// names of columns, or descriptions of ranges that are not stored
		IndexColumns []any `json:"index_columns"`
	}
	if json.Unmarshal([]byte(metadata), &stored) != nil {
		return
	}
	for _, c := range columns {
		for _, name := range stored.IndexColumns {
			c.Index = c.Index || name == c.Name
		}
	}
}
