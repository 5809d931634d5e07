//go:build unix

package data

import (
	"context"
	"os"
	"syscall"
	"time"
)

// openPipe opens a named pipe for reading. That waits for a writer; when ctx ends
// before one comes, we are it for a moment, which ends the waiting.
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
	go func() {
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
			case <-time.After(time.Millisecond): // it may not have waited yet
			}
		}
	}()
	return nil, ctx.Err()
}
