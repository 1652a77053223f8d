package access

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

const (
	// TokenDays is the default lifetime of a token in days.
	TokenDays = 90
	// WarnTokens is how long before its end a token is highlighted.
	WarnTokens = 14 * 24 * time.Hour

	maxTokenDays = 3650
)

// Expiry is the end of a token's life. The zero Expiry is [TokenDays] after the token is
// made.
type Expiry struct {
	at    time.Time
	never bool
}

// Expiry is [ParseExpiry] with the clock of the service.
func (s *Service) Expiry(text string, zone *time.Location) (Expiry, error) {
	return ParseExpiry(text, s.now(), zone)
}

// ParseExpiry parses a number of days ("30d"), a day in a zone ("2026-12-31", the last on
// which the token works) or "never"; an empty text is the zero Expiry. Invalid text is a
// *store.RuleError.
func ParseExpiry(text string, now time.Time, zone *time.Location) (Expiry, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return Expiry{}, nil
	case "never":
		return Expiry{never: true}, nil
	}
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.Atoi(number)
		if err != nil || days < 1 || days > maxTokenDays {
			return Expiry{}, refuse("A token expires after 1d to %dd, and %q is none of them.", maxTokenDays, text)
		}
		return Expiry{at: now.AddDate(0, 0, days)}, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		return Expiry{}, refuse("%q says no end of a token: write a number of days such as 30d, a day such as %s, or never.",
			text, now.In(zone).AddDate(0, 0, TokenDays).Format(time.DateOnly))
	}
	end := day.AddDate(0, 0, 1)
	switch {
	case !end.After(now):
		return Expiry{}, refuse("A token cannot expire on %s, which is over.", text)
	case end.After(now.AddDate(0, 0, maxTokenDays)):
		return Expiry{}, refuse("A token expires within %d days, or never: %s is later.", maxTokenDays, text)
	}
	return Expiry{at: end}, nil
}

// millis returns the instant from which the token no longer works.
func (e Expiry) millis(now time.Time) affiliate.Millis {
	switch {
	case e.never:
		return 0
	case e.at.IsZero():
		return affiliate.MillisOf(now.AddDate(0, 0, TokenDays))
	}
	return affiliate.MillisOf(e.at)
}

// Expired is the error for a token that has expired. It reveals this because the caller has
// the token's text.
type Expired struct {
	Name string
	At   time.Time // UTC
}

func (e *Expired) Error() string {
	return fmt.Sprintf("the API token “%s” expired on %s", e.Name, e.At.UTC().Format("2 Jan 2006 15:04 MST"))
}
