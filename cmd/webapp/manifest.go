package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"time"

	"rebatedesk/reports"
)

// checksum counts and hashes what is written through it.
type checksum struct {
	hash.Hash
	bytes int64
}

func newChecksum() *checksum { return &checksum{Hash: sha256.New()} }

func (c *checksum) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.Hash.Write(p)
}

// manifest says what an exported file holds, for whoever checks it later.
type manifest struct {
	Kind      reports.ExportKind `json:"kind"`
	Format    reports.Format     `json:"format"`
	From      string             `json:"from"`
	To        string             `json:"to"`
	Timezone  string             `json:"timezone"`
	AsOf      string             `json:"as_of,omitempty"`
	Filters   string             `json:"filters,omitempty"` // as a query string
	Complete  bool               `json:"complete"`
	Collected int                `json:"days_collected"`
	Days      int                `json:"days"`
	Rows      int64              `json:"rows"`
	Sums      []manifestSums     `json:"sums,omitempty"`
	Bytes     int64              `json:"bytes"`
	SHA256    string             `json:"sha256"`
	Written   string             `json:"written"`
}

// manifestSums are the exact sums of one coin.
type manifestSums struct {
	Coin        string `json:"coin"`
	Records     int64  `json:"records"`
	Fee         string `json:"fee"`
	Commission  string `json:"commission"`
	TakerAmount string `json:"taker_amount"`
	MakerAmount string `json:"maker_amount"`
}

func manifestOf(e *reports.Export, format reports.Format, s reports.ExportSummary, sum *checksum) manifest {
	q := e.Query
	filters := q.Values()
	for _, name := range []string{"range", "from", "to", "as_of", "sort"} {
		filters.Del(name)
	}
	m := manifest{
		Kind: e.Kind, Format: format, From: q.Days.First.String(), To: q.Days.Last.String(), Timezone: q.Zone.String(),
		Filters: filters.Encode(), Complete: e.Coverage.Complete(), Collected: e.Coverage.Collected, Days: e.Coverage.Wanted,
		Rows: s.Rows, Bytes: sum.bytes, SHA256: hex.EncodeToString(sum.Sum(nil)),
		Written: time.Now().UTC().Format(time.RFC3339),
	}
	if !q.AsOf.IsZero() {
		m.AsOf = q.AsOf.Format(time.RFC3339Nano)
	}
	for _, t := range s.Totals {
		m.Sums = append(m.Sums, manifestSums{
			Coin: string(t.Coin), Records: t.Records, Fee: t.Fee.String(), Commission: t.Commission.String(),
			TakerAmount: t.TakerAmount.String(), MakerAmount: t.MakerAmount.String(),
		})
	}
	return m
}

func (m manifest) write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}
