//go:build !linux

package data

import "io/fs"

// fileIdentity returns "": on this system only size and modification time identify a file.
func fileIdentity(fs.FileInfo) string { return "" }

// hasChangedSince returns false: on this system only size and modification time show that a file was changed.
func hasChangedSince(a, b fs.FileInfo) bool { return false }
