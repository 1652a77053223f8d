package weex

import (
	"net/http"
	"strconv"

	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// success are the codes of success; answers of the contract address have none.
var success = wire.Codes{"", "0", "00000", "200"}

var protocol = transport.Protocol{
	Success: success,
	Time:    timeEndpoint, Authorize: authorize, MeaningOf: meaningOf,
	WeightUsed: "X-USED-WEIGHT-10S", WeightLeft: "X-REMAINING-WEIGHT-10S",
}

// authorize adds the ACCESS headers (section 5).
func authorize(r *http.Request, call transport.Signable, cfg transport.Config) {
	timestamp := strconv.FormatInt(call.At.UnixMilli(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("locale", cfg.Locale)
	r.Header.Set("ACCESS-KEY", cfg.Key.Reveal())
	r.Header.Set("ACCESS-PASSPHRASE", cfg.Passphrase.Reveal())
	r.Header.Set("ACCESS-TIMESTAMP", timestamp)
	r.Header.Set("ACCESS-SIGN", Sign(cfg.Secret, timestamp, call.Method, call.Path, call.Query, call.Body))
}
