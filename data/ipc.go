package data

import "context"

func readIPCFile(ctx context.Context, name string, b []byte, names []string) (*Frame, error) {
	return nil, errDamaged("todo")
}
func readIPCStream(ctx context.Context, name string, b []byte, names []string) (*Frame, error) {
	return nil, errDamaged("todo")
}
