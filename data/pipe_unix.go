//go:build unix

package data

import (
	"context"
	"os"
	"syscall"
	"time"
)

// openPipe opens a named pipe for reading, which blocks until the pipe has a writer. If ctx ends before then,
// openPipe briefly opens the pipe for writing to end the wait.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
	}
	ended := make(chan struct{}) // a later reader of the pipe would mistake this writer for its own
	go func() {
		defer close(ended)
		for {
			if fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				syscall.Close(fd)
			}
			select {
			case o := <-done:
				if o.err == nil {
					o.f.Close()
				}
				return
			case <-time.After(time.Millisecond): // the opening goroutine may not have blocked yet
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(time.Second): // the pipe may have been removed
	}
	return nil, ctx.Err()
}
