package picture_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/mail/picture"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// seriesOfDays are series of any length and sign, some of their days unknown.
var seriesOfDays = rapid.Custom(func(t *rapid.T) figures.DailySeries {
	first := affiliate.NewDay(2026, 8, 24)
	states := []coverage.DayState{coverage.DayCollected, coverage.DayCollected, coverage.DayPartial, coverage.DayMissing, coverage.DayRunning}
	amount := func() decimal.Decimal { return decimal.New(rapid.Int64Range(-900, 900).Draw(t, "amount"), -2) }
	series := figures.DailySeries{Coin: "USDT", Parts: []figures.SeriesPart{{Name: "Futures"}, {Name: "Spot"}}}
	compared := rapid.Bool().Draw(t, "compared")
	for i := range affiliate.Day(rapid.IntRange(1, 60).Draw(t, "days")) {
		series.Days, series.State = append(series.Days, first+i), append(series.State, rapid.SampledFrom(states).Draw(t, "state"))
		futures, spot := amount(), amount()
		series.Parts[0].Values, series.Parts[1].Values = append(series.Parts[0].Values, futures), append(series.Parts[1].Values, spot)
		series.Total = append(series.Total, futures.Add(spot))
		if compared {
			series.Reference, series.RefDays = append(series.Reference, amount()), append(series.RefDays, first+i-400)
			series.RefKnown = append(series.RefKnown, rapid.Bool().Draw(t, "known"))
		}
	}
	return series
})

// The legend names what the picture has: the layers, the compared period where it is known, and bands
// where days are not.
func TestLegendExplainsThePicture(t *testing.T) {
	for seed := range 12 {
		series := seriesOfDays.Example(seed)
		content, err := picture.Draw(series)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		drawn, ok := decoded.(*image.NRGBA)
		if !ok || drawn.Rect.Dx() != 2*picture.Width || drawn.Rect.Dy() != 2*picture.Height {
			t.Fatalf("the picture is a %T of %v", decoded, decoded.Bounds())
		}
		dots := map[string]int{} // by their colour
		for i := 0; i < len(drawn.Pix); i += 4 {
			if drawn.Pix[i+3] == 0xff {
				dots[fmt.Sprintf("#%x", drawn.Pix[i:i+3])]++
			}
		}
		named := map[string]bool{}
		for _, mark := range picture.Legend(series, "the week before") {
			if named[mark.Name] = true; mark.Sign != "▒" && dots[mark.Colour] < 20 {
				t.Errorf("%d: %s is not in the picture", seed, mark.Name)
			}
		}
		known, doubtful := slices.Contains(series.RefKnown, true), slices.ContainsFunc(series.State, coverage.DayState.Doubtful)
		if named["the week before"] != known || named["not collected completely"] != doubtful || !named["Futures"] || !named["Spot"] {
			t.Errorf("%d: the legend names %v; compared %t, doubtful %t", seed, named, known, doubtful)
		}
	}
}

// The smallest amount is seen, and a day without commission has no column.
func TestSmallestAmountIsSeen(t *testing.T) {
	day := affiliate.NewDay(2026, 8, 24)
	drawn := func(texts ...string) []byte {
		series := figures.DailySeries{Coin: "USDT", Parts: []figures.SeriesPart{{Name: "Futures"}}}
		for i, text := range texts {
			v := decimal.RequireFromString(text)
			series.Days, series.State = append(series.Days, day+affiliate.Day(i)), append(series.State, coverage.DayCollected)
			series.Parts[0].Values, series.Total = append(series.Parts[0].Values, v), append(series.Total, v)
		}
		content, err := picture.Draw(series)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if bytes.Equal(drawn("100", "0.01"), drawn("100", "0")) {
		t.Error("0.01 beside 100 looks like nothing")
	}
}

// The days below the chart do not touch each other: all of a week have a label, and fewer where labels
// have a year.
func TestDaysBelowTheChart(t *testing.T) {
	for _, c := range []struct {
		first        affiliate.Day
		days, labels int
	}{
		{affiliate.NewDay(2026, 11, 23), 7, 7}, {affiliate.NewDay(2026, 12, 28), 7, 4}, {affiliate.NewDay(2026, 12, 1), 31, 6}, {affiliate.NewDay(2026, 6, 1), 400, 4}, {affiliate.NewDay(2026, 12, 31), 1, 1},
	} {
		series := figures.DailySeries{Coin: "USDT", Parts: []figures.SeriesPart{{Name: "Futures"}}}
		for i := range affiliate.Day(c.days) {
			series.Days, series.State = append(series.Days, c.first+i), append(series.State, coverage.DayCollected)
			series.Parts[0].Values, series.Total = append(series.Parts[0].Values, decimal.Zero), append(series.Total, decimal.Zero)
		}
		content, err := picture.Draw(series)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		labels, empty := 0, 2*picture.LetterSize // columns of dots since the last letter
		for x := range drawn.Bounds().Dx() {
			inked := false
			for y := drawn.Bounds().Dy() - 2*picture.LetterSize; y < drawn.Bounds().Dy(); y++ {
				_, _, _, a := drawn.At(x, y).RGBA()
				inked = inked || a > 0
			}
			if inked && empty >= picture.LetterSize {
				labels++
			}
			if empty++; inked {
				empty = 0
			}
		}
		if labels != c.labels {
			t.Errorf("%d days from %s have %d labels apart from each other, want %d", c.days, c.first, labels, c.labels)
		}
	}
}
