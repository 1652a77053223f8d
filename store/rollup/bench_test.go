package rollup

import (
	"fmt"
	"testing"

	"rebatedesk/affiliate"
)

// BenchmarkLines adds up the lines of a block.
func BenchmarkLines(b *testing.B) {
	const names = 1000
	t := NewTally(ByUID)
	for i := range names {
		for _, coin := range []affiliate.Coin{"USDT", "BTC"} {
			record := affiliate.Commission{Fee: "1234.567891", Commission: "123.45678912", TakerAmount: "1234567.123", MakerAmount: "7654.321"}
			t.At(1, LineKey{fmt.Sprint(4_600_000_000 + i*7919), LineKind{Product: affiliate.Spot, Coin: coin, Source: affiliate.Direct}}).Add(&record, 1)
		}
	}
	var changes []change
	for _, p := range t.Parts(OfDay, t.Ranks()) {
		changes = append(changes, p.Changes...)
	}
	block, _, err := MergeLines("", changes)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		sum(b, block)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*names), "ns/line")
	b.ReportMetric(float64(len(block))/(2*names), "bytes/line")
}

func sum(b *testing.B, block string) {
	var all LineFigures
	var kinds KindReader
	lines := LinesOf(block)
	for lines.Next() {
		name, _, err := kinds.Of(lines.BlockLine)
		if err != nil || name == "" {
			b.Fatal(name, err)
		}
		if err := all.AddFigures(lines.Figures); err != nil {
			b.Fatal(err)
		}
	}
	if lines.Err() != nil || all.Records == 0 {
		b.Fatal(lines.Err())
	}
}
