package findings

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
)

var _ = register(Kind{
	Finding: Level{},
	Check: &Check{Place: 65, Of: "changed levels", Bound: true, Segments: true, Find: findLevels,
		Said: "what a programme, a code or an invitee with 5 % of its commission brings a day, if that changed by about half or more in the last 8 weeks"},
	Alert: &Alert{
		Name: "level", Place: 35, Title: "A level changes",
		When:     "A programme, an invite code or a large invitee brings about half or less a day of what it used to, or nearly twice as much. Large is who brought 5 % of the commission of the programme in 180 days.",
		Help:     "a programme, a code or a large invitee brings about half a day of what it did, or twice as much",
		Segments: true, Users: true,
		Words:   func(*Watched) string { return "What a programme, a code or a large invitee brings a day changes" },
		Signals: levelSignals,
	},
	Headline: counted("a level changed", "level", " changed"),
})

// Level says that programmes, codes or large invitees bring another amount a day than before.
type Level struct {
	Today   affiliate.Day
	Changes []levels.Change // those down come first
	Several bool            // they are of several accounts
}

// Severity is a warning if a level fell.
func (f Level) Severity() Severity {
	if f.Changes[0].Down() {
		return SeverityWarning
	}
	return SeverityInfo
}

func (f Level) stake(*recent.Snapshot) stake {
	return stake{group: stakeKnown, worth: f.Changes[0].Month().Value}
}

func (f Level) words(a About) Statement {
	of := func(c *levels.Change) string { return phrase.LevelOf(c, a.Names.Beside(c.UID), f.Several) }
	first := &f.Changes[0]
	w := Statement{Title: of(first) + " " + phrase.LevelBriefly(first), Link: "See all changed levels", Href: a.levels()}
	w.Text = phrase.Say("That makes " + phrase.LevelEffect(first, f.Today) + ", all coins, converted.")
	if n := len(f.Changes) - 1; n > 0 {
		w.Text = append(w.Text, phrase.Say(" "+phrase.Things(n, "further level")+" changed.")...)
	}
	for i := range f.Changes {
		c := &f.Changes[i]
		w.Invitees = append(w.Invitees, InviteeNote{Name: of(c), Href: a.level(c), Text: phrase.Say(phrase.Level(c) + "; " + phrase.LevelEffect(c, f.Today))})
	}
	return w
}

// levels returns the address of the list of changed levels.
func (a About) levels() string {
	var asOf string
	if !a.Query.AsOf.IsZero() {
		asOf = a.Query.AsOf.Format(time.RFC3339Nano)
	}
	return withQuery("/forecast", "account", string(a.Query.Account), "segment", a.Query.Segment, "as_of", asOf) + "#levels"
}

// level returns the address of a page about what a change is of.
func (a About) level(c *levels.Change) string {
	switch c.Subject {
	case levels.Invitee:
		return a.invitee(c.UID)
	case levels.Code:
		return withQuery("/codes", "q", c.Code, "account", string(c.Account))
	}
	return withQuery("/forecast", "account", string(c.Account))
}

// findLevels finds the levels that changed lately. An invitee who fell silent is told of by
// [Silent].
func findLevels(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	found, err := levels.Make(ctx, s.Snapshot)
	if err != nil || len(found.List) == 0 {
		return nil, err
	}
	silent, err := silences(ctx, s)
	if err != nil {
		return nil, err
	}
	told := func(c *levels.Change) bool {
		for _, coin := range silent {
			for _, one := range coin.Most {
				if c.Subject == levels.Invitee && one.Account == c.Account && one.UID == c.UID {
					return true
				}
			}
		}
		return false
	}
	f := Level{Today: s.Today, Several: len(s.Known) > 1}
	for _, down := range []bool{true, false} {
		for i := range found.List {
			if c := &found.List[i]; c.Down() == down && !told(c) {
				f.Changes = append(f.Changes, *c)
			}
		}
	}
	if len(f.Changes) == 0 {
		return nil, nil
	}
	return []Finding{f}, nil
}

// levelSignals reports the levels that changed lately.
func levelSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	changes, err := ask(ctx, w, w.whole(), levels.Make)
	for i := range changes.List {
		c := &changes.List[i]
		name := string(c.UID)
		if c.Subject == levels.Code {
			name = c.Code
		}
		one := Signal{Key: levelKey(w, c, name), Page: About{}.level(c), Words: fmt.Sprintf("%s %s; %s", phrase.LevelOf(c, affiliate.OneLine(name), true), phrase.Level(c), phrase.LevelEffect(c, changes.Today)),
			Detail: details("account", string(c.Account), "of", string(c.Subject), "name", name, "since", c.Since.String(), "before", c.Before.String(), "after", c.After.String(), "effect", c.Effect.String(), "coin", string(figures.ValuedIn))}
		if c.Subject == levels.Invitee {
			one.Page = withQuery("/invitees/"+url.PathEscape(name), "account", string(c.Account))
		}
		found = append(found, one)
	}
	return found, err
}

// levelKey identifies a change. Its first day moves a little with the days that follow, so one that is known
// from about the same day is the same.
func levelKey(w *Watched, c *levels.Change, name string) string {
	way := "up"
	if c.Down() {
		way = "down"
	}
	begins := fmt.Sprintf("level|%s|%q|%q|%s|", c.Subject, c.Account, name, way)
	for _, f := range w.Known {
		if day, ok := strings.CutPrefix(f.Key, begins); ok {
			if known, err := affiliate.ParseDay(day); err == nil && max(known, c.Since)-min(known, c.Since) < levels.SameDays {
				return f.Key
			}
		}
	}
	return begins + c.Since.String()
}
