package reports

import (
	"context"

	"rebatedesk/store"
)

// inviteeListTable has the rows of the page of invitees in its order. Of those
// who are known from commission only, all that the exchange would tell is
// unknown.
func inviteeListTable(ctx context.Context, q *question) (table, error) {
	_, lines, err := q.inviteeList(ctx)
	if err != nil {
		return table{}, err
	}
	rows := make([]store.InviteeRow, len(lines))
	for i, l := range lines {
		rows[i] = store.InviteeRow{Invitee: l.Invitee, Account: l.Account, FirstSeen: l.FirstSeen, LastSeen: l.LastSeen, Vanished: l.Vanished}
	}
	return tableOf(inviteeColumns, each(rows)), nil
}
