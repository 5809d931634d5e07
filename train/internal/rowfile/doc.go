// Package rowfile is the file of rows that training keeps for other runs: encoded, in order,
// ready to be read block by block, with checksums and with what they depend on. What may be
// taken from such a file, and when one is written, is train's to say (train/cache.go).
//
// It imports data and design; train imports it. Start reading at content.go.
package rowfile
