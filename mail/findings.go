package mail

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// alertWord is the word of findings that cannot wait.
const alertWord = "Alert"

// findingOf writes down in one line what needs attention.
func findingOf(f attention.Finding, zone *time.Location) Finding {
	word := "Warning"
	if f.Severity() == attention.SeverityAlert {
		word = alertWord
	}
	return Finding{word, findingWords(f, zone)}
}

func findingWords(f attention.Finding, zone *time.Location) string {
	money := func(value decimal.Decimal, coin affiliate.Coin) string {
		return affiliate.Amount{Value: value, Coin: coin}.String()
	}
	switch f := f.(type) {
	case attention.GapFinding:
		text := fmt.Sprintf("%s not collected, the oldest %s", things(f.Days, "day"), f.Oldest.Format("2 Jan 2006"))
		if f.Reason != "" {
			text += ": " + mailer.Cut(affiliate.OneLine(f.Reason), 200)
		}
		return text
	case attention.RunFinding:
		return fmt.Sprintf("collection keeps failing: %s in a row since %s", things(f.InARow, "run"), clock(f.Since.Time(), zone))
	case attention.StaleFinding:
		return "no collection has begun since " + clock(f.Last.Time(), zone)
	case attention.MailFinding:
		return fmt.Sprintf("mail could not be delivered: %d being retried, %d given up", f.Failing, f.Dead)
	case attention.DropFinding:
		return fmt.Sprintf("%s on %s, %s less than usual (%s)", money(f.Now, f.Coin), query.Words(f.Days, zone), percent(f.Drop.Percent), money(f.Usual, f.Coin))
	case attention.RestatedFinding:
		return restatedWords(f.Restated, zone) + ", noticed in the last 30 days" + worthWords(f.Worth)
	case attention.SilentFinding:
		return fmt.Sprintf("%s stopped trading, at risk %s a month%s", things(f.Count, "invitee"), money(f.AtRisk, f.Coin), worthWords(f.Worth)) + togetherWords(f.Together)
	case attention.RateFinding:
		return fmt.Sprintf("the share of fees of %s changed: %s lost so far, %s won%s", things(f.Count, "invitee"), money(f.Lost, f.Coin), money(f.Won, f.Coin), worthWords(f.Worth))
	case attention.ConcentrationFinding:
		return fmt.Sprintf("one invitee, %s, earns you %s of the commission (%s of %s in 30 days)", affiliate.OneLine(string(f.First)), percent(f.One.Percent), money(f.FirstBrought, f.Coin), money(f.Commission, f.Coin))
	}
	return "see the overview"
}

// worthWords say what an amount of another coin comes to, or that nobody knows.
func worthWords(of figures.Valuation) string {
	switch {
	case of.Known():
		return " (≈\u00a0" + of.Amount().String() + " at the newest prices)"
	case len(of.Missing) > 0:
		return " (not converted: no price is known)"
	}
	return ""
}

// togetherWords say what is at risk in all coins, where there are several.
func togetherWords(of figures.Valuation) string {
	if !of.Known() {
		return ""
	}
	words := "; of all coins ≈\u00a0" + of.Amount().String() + " are at risk"
	for _, amount := range of.Missing {
		words += ", without " + amount.String() + ", of which no price is known"
	}
	return words
}
