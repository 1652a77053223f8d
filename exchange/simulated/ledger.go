package simulated

import (
	"encoding/csv"
	"iter"
	"net/http"
	"strconv"
	"time"
)

// Row is a row of commission as an export has it. What the exchange does not tell is empty.
type Row struct {
	At                             time.Time
	UID, Code, Product, Symbol     string
	Source, Coin, Taker, Maker     string
	Fee, Rate, Commission, Account string
	Exchange, Grain                string
	Until                          time.Time // zero = an instant
}

// Columns are the columns of [WriteCommissions], which exports have too.
var Columns = []string{"deal_time_utc", "deal_time_ms", "account", "uid", "invite_code", "product_type", "symbol", "source_type", "coin", "taker_amount", "maker_amount", "fee", "rate", "commission", "first_seen_utc", "exchange", "grain", "until_utc"}

const instant = "2006-01-02T15:04:05.000Z"

// WriteCommissions writes the truth about commissions as CSV.
func WriteCommissions(w http.ResponseWriter, rows iter.Seq[Row]) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	out := csv.NewWriter(w)
	defer out.Flush()
	_ = out.Write(Columns) // a client that is gone
	for r := range rows {
		until := ""
		if !r.Until.IsZero() {
			until = r.Until.UTC().Format(instant)
		}
		_ = out.Write([]string{r.At.UTC().Format(instant), strconv.FormatInt(r.At.UnixMilli(), 10), r.Account, r.UID, r.Code, r.Product, r.Symbol, r.Source, r.Coin,
			r.Taker, r.Maker, r.Fee, r.Rate, r.Commission, "", r.Exchange, r.Grain, until})
	}
}
