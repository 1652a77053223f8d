package programme

import (
	"strconv"

	"rebatedesk/affiliate"
)

// Decimals of the integers in which amounts are stored. A commission is fee times rate, so
// it is exact with the sum of both decimals.
const (
	volumeDecimals     = 8
	feeDecimals        = 8
	rateDecimals       = 4
	commissionDecimals = feeDecimals + rateDecimals
)

// TradeRow is a commission record in 48 bytes, because there may be millions.
type TradeRow struct {
	At           int64                 // ms
	taker, maker int64                 // 10^-8
	Fee          int64                 // 10^-8
	Custom       *affiliate.Commission // the complete record if it was inserted by a test
	who          int32                 // index of the trader
	rate         int16                 // 10^-4
	pair         uint8                 // index of pairs
}

// Commission returns the record of a row.
func (l *Records) Commission(r TradeRow) affiliate.Commission {
	if r.Custom != nil {
		return *r.Custom
	}
	pair, trader := &pairs[r.pair], &l.programme.traders[r.who]
	return affiliate.Commission{
		DealTime:    affiliate.Millis(r.At),
		UID:         trader.uid,
		Product:     pair.product,
		Symbol:      pair.symbol,
		Source:      trader.source(),
		Coin:        pair.coin,
		TakerAmount: scaled(r.taker, volumeDecimals),
		MakerAmount: scaled(r.maker, volumeDecimals),
		Fee:         scaled(r.Fee, feeDecimals),
		Rate:        scaled(int64(r.rate), rateDecimals),
		Commission:  scaled(r.Fee*int64(r.rate), commissionDecimals),
	}
}

// Whose returns the user and the coin of a row without making the record.
func (l *Records) Whose(r *TradeRow) (affiliate.UID, affiliate.Coin) {
	if r.Custom != nil {
		return r.Custom.UID, r.Custom.Coin
	}
	return l.programme.traders[r.who].uid, pairs[r.pair].coin
}

// scaled writes units of 10^-decimals as a plain decimal without trailing
// zeros. units is not negative.
func scaled(units int64, decimals int) affiliate.Number {
	if units == 0 {
		return "0"
	}
	var buffer [24]byte
	text := strconv.AppendInt(buffer[:0], units, 10)
	for len(text) <= decimals {
		text = append(text, 0)
		copy(text[1:], text)
		text[0] = '0'
	}
	point := len(text) - decimals
	text = append(text, 0)
	copy(text[point+1:], text[point:])
	text[point] = '.'
	end := len(text)
	for text[end-1] == '0' {
		end--
	}
	if text[end-1] == '.' {
		end--
	}
	return affiliate.Number(text[:end])
}
