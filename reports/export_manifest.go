package reports

import (
	"encoding/json"
	"io"

	"rebatedesk/reports/export"
)

// ExportManifest describes an exported file for later verification.
type ExportManifest struct {
	export.Metadata
	Format export.Format       `json:"format"`
	Rows   int64               `json:"rows"`
	Sums   []export.SumsByCoin `json:"sums"` // exact, per coin
	Bytes  int64               `json:"bytes"`
	SHA256 string              `json:"sha256"` // hexadecimal
}

// ManifestOf returns the manifest of a file that an export has written.
func ManifestOf(e *Export, format export.Format, tally export.RowTally, bytes int64, sha256 string) ExportManifest {
	return ExportManifest{Metadata: e.Facts(), Format: format, Rows: tally.Rows, Sums: tally.Sums, Bytes: bytes, SHA256: sha256}
}

// Write writes the manifest as JSON.
func (m ExportManifest) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}
