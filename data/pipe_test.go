//go:build unix

package data

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe is read when it has a writer; without one the context ends the
// waiting, before the first byte and after.
func TestNamedPipe_EndsWhenCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	go os.WriteFile(path, []byte("a,b\n1,x\n2,y\n"), 0)
	f, err := Open(context.Background(), path)
	if err != nil || f.Rows != 2 {
		t.Fatalf("%v, %v", f, err)
	}
	f.Close()
	for _, begun := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		if begun {
			go func() {
				w, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err == nil {
					w.WriteString("a,b\n1,")
					<-ctx.Done()
					w.Close()
				}
			}()
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		done := make(chan error, 1)
		go func() { _, err := Open(ctx, path); done <- err }()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("begun %v: %v", begun, err)
			}
		case <-time.After(time.Minute):
			t.Fatal("the open hangs")
		}
	}
}
