package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/query"
	"rebatedesk/reports/search"
	"rebatedesk/reports/snapshot"
)

// Search finds invitees, invite codes and pairs by a part of their name. The names are those
// that the reader may see.
func Search(ctx context.Context, s *Service, text string, names *people.NameBook) (search.Found, error) {
	today := affiliate.DayOf(s.now(), s.store.Zone())
	anything := query.Query{Range: query.Last30, Days: affiliate.Days{First: today - 29, Last: today}, Zone: s.store.Zone(), Today: today}
	return Fresh(ctx, s, anything, func(ctx context.Context, q *snapshot.Snapshot) (search.Found, error) {
		return search.Make(ctx, q, text, names)
	})
}
