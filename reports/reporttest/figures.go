package reporttest

import (
	"rebatedesk/affiliate"
)

// People are invitees of the last days with their first steps.
func (d *Fixture) People() {
	d.Helper()
	ago := func(n int) affiliate.Millis { return Midnight(Today-affiliate.Day(n)) + 3_600_000 }
	d.ReadInvitees("main", Days(-364, 0),
		affiliate.Invitee{UID: "1", InviteCode: "a", RegisterTime: ago(1), FirstDeposit: ago(1), FirstTrade: ago(0)},
		affiliate.Invitee{UID: "2", InviteCode: "b", RegisterTime: ago(1)},
		affiliate.Invitee{UID: "3", InviteCode: "a", RegisterTime: ago(2), FirstDeposit: ago(1), FirstTrade: ago(1)},
		affiliate.Invitee{UID: "4", InviteCode: "a", FirstTrade: ago(2)}, // registration unknown
	)
}
