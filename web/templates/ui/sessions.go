package ui

import (
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/reports/phrase"
)

// SessionRow is one line of the list of sessions.
type SessionRow struct {
	access.Session
	Current bool // the session that shows the page
}

// BrowserName returns the common name of the program in a User-Agent. An unknown one
// stays unchanged.
func BrowserName(agent string) string {
	for _, known := range []struct{ mark, name string }{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	} {
		if strings.Contains(agent, known.mark) {
			return known.name + system(agent)
		}
	}
	if agent == "" {
		return "An unnamed program"
	}
	return agent
}

func system(agent string) string {
	for _, known := range []struct{ mark, name string }{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	} {
		if strings.Contains(agent, known.mark) {
			return " on " + known.name
		}
	}
	return ""
}

func ScopeNames(scopes []access.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// Since says when something last happened, or that it never did.
func Since(at time.Time, zone *time.Location) string {
	if at.IsZero() {
		return "never"
	}
	return phrase.Clock(at, zone)
}

// TokensEnd describes the effect of a change on a number of valid tokens.
func TokensEnd(n int) string {
	if n == 0 {
		return "No API token is affected: there is none."
	}
	return "All API tokens end for good: " + phrase.Things(n, "token") + " now."
}

// Expires says when a token expires, or that it has expired.
func Expires(t access.Token, zone *time.Location) string {
	switch {
	case t.Expires.IsZero():
		return "never expires"
	case t.Ended:
		return "expired " + phrase.Minute(t.Expires, zone)
	}
	return "expires " + phrase.Minute(t.Expires, zone)
}
