package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"

	"rebatedesk/reports"
	"rebatedesk/reports/export"
)

// checksum counts and hashes the bytes written to it.
type checksum struct {
	hash.Hash
	bytes int64
}

func newChecksum() *checksum { return &checksum{Hash: sha256.New()} }

func (c *checksum) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Hash.Write(p)
}

// manifest describes an exported file for later verification.
type manifest struct {
	export.Metadata
	Format export.Format       `json:"format"`
	Rows   int64               `json:"rows"`
	Sums   []export.SumsByCoin `json:"sums"` // exact, per coin
	Bytes  int64               `json:"bytes"`
	SHA256 string              `json:"sha256"`
}

func manifestOf(e *reports.Export, format export.Format, s export.RowTally, sum *checksum) manifest {
	return manifest{Metadata: e.Facts(), Format: format, Rows: s.Rows, Sums: s.Sums,
		Bytes: sum.bytes, SHA256: hex.EncodeToString(sum.Sum(nil))}
}

func (m manifest) write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}
