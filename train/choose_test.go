package train_test

import (
	"fmt"

	"github.com/drotrain/drotrain/train"
)

func ExampleChoose() {
	method, _ := train.Choose(0, 1000, 20)
	fmt.Println(method.Name())
	// Output: smoothing
}
