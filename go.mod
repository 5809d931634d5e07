module github.com/drotrain/drotrain

go 1.25.0

require (
	github.com/andybalholm/brotli v1.2.8 // pages of Parquet, unpacked with a bound on the output; arrow brings it
	github.com/apache/arrow/go/v15 v15.0.2 // schemas and values of Parquet and Arrow
	github.com/ebitengine/purego v0.11.3 // MPI without cgo, with the tag mpi alone; no dependencies
	github.com/klauspost/compress v1.20.3 // as brotli
	github.com/pierrec/lz4/v4 v4.1.33 // as brotli
	github.com/rogpeppe/go-internal v1.16.0 // testscript; tests alone
	github.com/schollz/progressbar/v3 v3.19.1 // the bar in a terminal
	github.com/spf13/cobra v1.10.2 // commands, help, completions: 2.6 MB, 2.5 ms at start
	github.com/spf13/pflag v1.0.10 // its flags
	go.yaml.in/yaml/v3 v3.0.6 // the maintained line of YAML v3: strict, with line numbers
	golang.org/x/sync v0.22.0 // goroutines with a limit and an error
	golang.org/x/sys v0.47.0 // AVX2 and FMA or not; files without a name, mapped
	golang.org/x/term v0.45.0 // is this a terminal
	golang.org/x/text v0.41.0 // UTF-16 and Windows-1252 in CSV; gonum/plot brings it
	gonum.org/v1/gonum v0.17.0 // Cholesky factors, BLAS
	gonum.org/v1/plot v0.17.0 // figures
	google.golang.org/protobuf v1.36.12 // encoding/protowire alone, the wire form of ONNX: 50 KB
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/JohnCGriffin/overflow v0.0.0-20211019200055-46fa312c352c // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/apache/thrift v0.24.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/goccy/go-json v0.12.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	github.com/google/flatbuffers v23.5.26+incompatible // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/asmfmt v1.3.2 // indirect
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	github.com/minio/asm2plan9s v0.0.0-20200509001527-cdd76441f9d8 // indirect
	github.com/minio/c2goasm v0.0.0-20190812172519-36a3d3bbc4f3 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/stretchr/objx v0.5.2 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
	golang.org/x/exp v0.0.0-20231006140011-7918f672742d // indirect
	golang.org/x/image v0.45.0 // indirect
	golang.org/x/mod v0.38.0 // indirect
	golang.org/x/telemetry v0.0.0-20260708182218-49f421fb7959 // indirect
	golang.org/x/tools v0.48.0 // indirect
	golang.org/x/xerrors v0.0.0-20220907171357-04be3eba64a2 // indirect
)
