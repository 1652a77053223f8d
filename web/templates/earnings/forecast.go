package earnings

import (
	"encoding/hex"
	"net/url"
	"slices"

	"rebatedesk/reports/query"
)

// forecastParams are the parameters that the card about the present month takes.
var forecastParams = []string{"account", "segment", "as_of"}

// forecastFits reports whether the overview is narrowed by nothing that the card ignores.
func forecastFits(q query.Query) bool {
	for name := range q.Filters() {
		if !slices.Contains(forecastParams, name) {
			return false
		}
	}
	return true
}

func forecastAddress(q query.Query) string {
	values := url.Values{}
	for name, value := range q.Values() {
		if slices.Contains(forecastParams, name) {
			values[name] = value
		}
	}
	if query := values.Encode(); query != "" {
		return "/overview/forecast?" + query
	}
	return "/overview/forecast"
}

// forecastID returns the id of the place of the card, as attentionID does.
func forecastID(q query.Query) string {
	return "forecast-" + hex.EncodeToString([]byte(forecastAddress(q)))
}
