package collection

import (
	"slices"

	"rebatedesk/reports/phrase"
	"rebatedesk/store"
)

// DatabaseView is the database on a server. The zero value shows nothing.
type DatabaseView struct {
	Engine  store.EngineState
	Schema  int
	Leases  []store.LeaseHolder
	Several bool // nodes share the database, so it is shown which does what
}

// leaseWords says what the holder of a lease does.
var leaseWords = []struct {
	lease store.Lease
	work  string
}{
	{store.CollectorLease, "Collects"},
	{store.MailLease, "Sends mail"},
	{store.DeliveryLease, "Delivers files"},
	{store.BackupLease, "Makes backups"},
	{store.TradingLease, "Settles orders of dead nodes"},
}

// holderOf returns the holder of a lease, or nil if nobody has it.
func holderOf(leases []store.LeaseHolder, of store.Lease) *store.LeaseHolder {
	at := slices.IndexFunc(leases, func(h store.LeaseHolder) bool { return h.Lease == of })
	if at < 0 {
		return nil
	}
	return &leases[at]
}

// behind says how far a standby is behind.
func behind(s store.StandbyServer) string {
	switch {
	case s.Bytes == nil:
		return "follows; how far behind it is, only a user with the role pg_monitor sees"
	case *s.Bytes == 0:
		return "up to date"
	case s.Lag == nil:
		return phrase.Size(*s.Bytes) + " behind"
	}
	return phrase.Size(*s.Bytes) + " behind, " + phrase.Took(*s.Lag)
}
