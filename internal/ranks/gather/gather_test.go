package gather

import (
	"bytes"
	"testing"

	"github.com/drotrain/drotrain/internal/ranks"
)

func TestValues_Bytes(t *testing.T) {
	for size := 1; size <= 4; size++ {
		err := ranks.Run(size, func(c ranks.Comm) error {
			words, err := Values(c, bytes.Repeat([]byte{byte(c.Rank())}, 3*c.Rank()))
			if err != nil {
				return err
			}
			for k, w := range words {
				if !bytes.Equal(w, bytes.Repeat([]byte{byte(k)}, 3*k)) {
					t.Errorf("rank %d gave %v", k, w)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
