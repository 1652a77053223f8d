package mail

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
)

// compares returns the comparisons of summaries of such periods; tables and links use
// the first. Trading has a weekly rhythm, so a day is compared with the same weekday,
// and only its cards also with the day before. A month is compared with the calendar
// month before, whatever its length.
func compares(e dispatch.Every) []query.Compare {
	switch e {
	case dispatch.Daily:
		return []query.Compare{query.CompareWeekday, query.ComparePrevious}
	case dispatch.Monthly:
		return []query.Compare{query.CompareMonth}
	}
	return []query.Compare{query.ComparePrevious}
}

// compare makes the cards, with a change for each comparison, and states which days are
// compared.
func (q *question) compare(ctx context.Context, view overview.Report) error {
	q.Cards = cardsOf(q.facts, q.query.Zone, against(q.Period.Every, comparedDays(view)))
	note := fmt.Sprintf("Changes compare with %s, %s", reference(q.Period.Every), phrase.DaysIn(comparedDays(view), q.query.Zone))
	if lengths := phrase.Lengths(q.Period.Days, comparedDays(view)); lengths != "" {
		note += ", " + lengths
	}
	for _, compare := range compares(q.Period.Every)[1:] {
		query := q.query
		query.Compare = compare
		other, err := reports.Ask(ctx, q.reports, query, overview.Make)
		if err != nil {
			return err
		}
		reference := against(q.Period.Every, comparedDays(other))
		for i, card := range cardsOf(phrase.EarnedFacts{Report: other, Payments: q.facts.Payments}, q.query.Zone, reference) {
			q.Cards[i].Changes = append(q.Cards[i].Changes, card.Changes...)
		}
		note += "; those marked " + reference + " compare with that day"
	}
	q.Notes = append(q.Notes, note+".")
	if !q.Gate.Closed {
		q.soFar()
	}
	return nil
}

// soFar marks the changes as provisional and removes their tone: an incomplete period
// seems to fall.
func (q *question) soFar() {
	for _, card := range q.Cards {
		for i := range card.Changes {
			card.Changes[i].Tone = ""
			card.Changes[i].Against += ", so far"
		}
	}
}

// comparedDays returns the compared days of a report.
func comparedDays(view overview.Report) affiliate.Days {
	days := view.Daily.RefDays
	return affiliate.Days{First: days[0], Last: days[len(days)-1]}
}

// reference names the first comparison in words.
func reference(e dispatch.Every) string {
	switch e {
	case dispatch.Daily:
		return "the same weekday a week before"
	case dispatch.Monthly:
		return "the month before"
	}
	return "the week before"
}

// against names a compared period briefly: "Tue 25 Aug", "week 34", "July 2026".
func against(e dispatch.Every, days affiliate.Days) string {
	switch e {
	case dispatch.Weekly:
		_, week := days.Last.Start(time.UTC).ISOWeek()
		return fmt.Sprintf("week %d", week)
	case dispatch.Monthly:
		return days.First.Format("January 2006")
	}
	return days.First.Format("Mon 2 Jan")
}
