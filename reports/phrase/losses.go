package phrase

import (
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/losses"
)

// LikelyLoss says how much of what invitees used to bring is likely lost: "180–250 of it is
// likely lost (80 %, an estimate)". Without an estimate it says why.
func LikelyLoss(l losses.LikelyLoss) string {
	switch {
	case l.Few != nil:
		known := "no earlier absence is known"
		if l.Few.Cases > 0 {
			known = fmt.Sprintf("%s in %s", counted(l.Few.Cases, "earlier absence", "earlier absences"), counted(l.Few.Origins, "month is known", "months are known"))
		}
		return fmt.Sprintf("how much of it is lost cannot be estimated yet: %s, and %d in %d months are needed", known, estimate.LeastCases, estimate.LeastPeriods)
	case !l.Known():
		return ""
	}
	return lossRange(l.Loss) + " of it is likely lost (" + heldLevel(l.Trials.Hits, l.Trials.Tested) + ", an estimate)"
}

// lossRange prints the range of a loss without its coin, to two digits of its width.
func lossRange(l estimate.Loss) string {
	places := int32(2)
	if width := l.High.Sub(l.Low); width.IsPositive() {
		places = max(0, 2-int32(width.NumDigits())-width.Exponent())
	}
	round := func(d decimal.Decimal) string { return affiliate.Grouped(d.Round(places).StringFixed(places)) }
	low, high := round(l.Low), round(l.High)
	if low == high {
		return "about " + low
	}
	return low + "–" + high
}

// RevenueAtRisk says what silent and slowing invitees used to bring, and how much of it is
// likely lost: "4 invitees are silent and 3 slow down. They used to bring 268.73 USDT in 30
// days; 180–250 of it is likely lost (80 %, an estimate)."
func RevenueAtRisk(c losses.CoinRisk) string {
	silent, slowing := len(c.Silent), len(c.Slowing)
	words := ""
	switch {
	case slowing == 0:
		words = counted(silent, "invitee is silent", "invitees are silent")
	case silent == 0:
		words = counted(slowing, "invitee slows down", "invitees slow down")
	default:
		words = counted(silent, "invitee is silent", "invitees are silent") + " and " + counted(slowing, "slows down", "slow down")
	}
	they := "They"
	if silent+slowing == 1 {
		they = "It"
	}
	return fmt.Sprintf("%s. %s used to bring %s in %d days; %s.", words, they, affiliate.Amount{Value: c.Usual, Coin: c.Coin}, invitees.PresentDays, LikelyLoss(c.LikelyLoss))
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + several
}

// LossTrials says how often ranges of earlier losses held. It is empty if none was tested.
func LossTrials(t invitees.LossTrials) string {
	if t.Tested == 0 {
		return ""
	}
	return fmt.Sprintf("Ranges like this held in %d of %s.", t.Hits, Things(t.Tested, "month"))
}
