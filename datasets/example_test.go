package datasets_test

import (
	"fmt"
	"log"

	"github.com/drotrain/drotrain/datasets"
)

func Example() {
	for _, info := range datasets.List() {
		frame, err := datasets.Open(info.Name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.Name, frame.Rows, "rows; target", info.Target, "by", info.Groups)
	}
	// Output:
	// cps1988 28155 rows; target wage by [ethnicity region]
	// digits 1797 rows; target size by [agrees]
	// hmda 2380 rows; target deny by [afam]
	// loans 2000 rows; target deny by [region sex]
	// loans-next 1000 rows; target deny by [region sex]
}
