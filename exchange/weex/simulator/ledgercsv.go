package simulator

import (
	"bufio"
	"encoding/csv"
	"net/http"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// ledgerAccount is the account name in the ledger's files.
const ledgerAccount = "main"

// The ledger's files have the columns of the application's own exports. What
// only a collector can know (when a record was first seen) stays empty, and so
// does what no collector can: of users who registered before the reach of 4.18
// neither a line nor a code is given.
var (
	inviteeColumns = []string{
		"account", "uid", "invite_code", "register_time_utc", "kyc", "first_deposit_utc", "first_trade_utc",
		"last_deposit_utc", "last_trade_utc", "first_seen_utc", "last_seen_utc",
	}
	subAffiliateColumns = []string{
		"account", "sub_affiliate_uid", "product_type", "date", "trading_volume", "net_trading_fee", "paid_commission",
	}
	paymentColumns = []string{
		"period_from_utc", "period_to_utc", "account", "coin", "kind", "earned", "paid", "difference", "state", "bills",
		"first_paid_utc", "last_paid_utc",
	}
)

// ledgerFiles makes the files of the ledger.
type ledgerFiles struct{ *Simulator }

// table is a file of the ledger: its header, and its lines one by one.
type table struct {
	columns []string
	lines   func(yield func([]string) bool)
}

// serveLedger answers the unsigned requests for the truth, and reports whether
// this was one.
func (s *Simulator) serveLedger(w http.ResponseWriter, r *http.Request) bool {
	var t table
	switch r.URL.Path {
	case "/ledger/commissions.csv":
		t = ledgerFiles{s}.commissionTable()
	case "/ledger/invitees.csv":
		t = ledgerFiles{s}.inviteeTable()
	case "/ledger/sub-affiliates.csv":
		t = ledgerFiles{s}.subAffiliateTable()
	case "/ledger/payments.csv":
		t = ledgerFiles{s}.paymentTable()
	default:
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return true
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	if err := t.write(w); err != nil {
		// Half a file must not pass for a whole one.
		panic(http.ErrAbortHandler)
	}
	return true
}

func (t table) write(w http.ResponseWriter) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := csv.NewWriter(buffered)
	out.UseCRLF = true
	if err := out.Write(t.columns); err != nil {
		return err
	}
	var failed error
	t.lines(func(line []string) bool {
		failed = out.Write(line)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// commissionTable copies the rows, which are small, and makes the records
// while they are written.
func (s ledgerFiles) commissionTable() table {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	rows, frozen := programme.Slices(s.ledger.Rows), s.ledger.Frozen()
	codes := make(map[affiliate.UID]string, len(s.ledger.ByUID))
	reach := s.reach()
	for uid, u := range s.ledger.ByUID {
		if u.RegisterTime >= reach {
			codes[uid] = u.InviteCode
		}
	}
	columns := make([]string, len(commissionTable))
	for i, f := range commissionTable {
		columns[i] = f.column
	}
	return table{columns, func(yield func([]string) bool) {
		programme.Merged(rows, programme.RowTime, func(r programme.TradeRow) bool {
			c := &ledgerCommission{Commission: frozen.Commission(r)}
			c.inviteCode = codes[c.UID]
			line := make([]string, len(commissionTable))
			for i, f := range commissionTable {
				line[i] = f.text(c)
			}
			return yield(line)
		})
	}}
}

func (s ledgerFiles) inviteeTable() table {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	var users []affiliate.Invitee
	reach := s.reach()
	for _, u := range s.ledger.Invitees {
		if u.RegisterTime >= reach {
			users = append(users, *u)
		}
	}
	return table{inviteeColumns, func(yield func([]string) bool) {
		for _, u := range users {
			if !yield([]string{
				ledgerAccount, string(u.UID), u.InviteCode, u.RegisterTime.String(), string(u.KYC), u.FirstDeposit.String(),
				u.FirstTrade.String(), u.LastDeposit.String(), u.LastTrade.String(), "", "",
			}) {
				return
			}
		}
	}}
}

// reach is the earliest registration that 4.18 lists now.
func (s ledgerFiles) reach() affiliate.Millis { return affiliate.Millis(s.now() - 365*day) }

func (s ledgerFiles) subAffiliateTable() table {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	days := programme.Slices(s.ledger.Subs)
	return table{subAffiliateColumns, func(yield func([]string) bool) {
		programme.Merged(days, programme.SubTime, func(d affiliate.SubAffiliateDay) bool {
			return yield([]string{
				ledgerAccount, string(d.UID), string(d.Product), d.Date.String(), string(d.TradingVolume),
				string(d.NetTradingFee), string(d.PaidCommission),
			})
		})
	}}
}

// paymentTable lists what true books of the payouts show now.
func (s ledgerFiles) paymentTable() table {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	payments := s.trading().Payments(s.ledger)
	return table{paymentColumns, func(yield func([]string) bool) {
		for _, p := range payments {
			if !yield([]string{
				p.From.String(), p.To.String(), ledgerAccount, string(p.Coin), p.Kind, string(p.Earned), string(p.Paid), string(p.Difference()),
				p.State, strconv.Itoa(len(p.Bills)), p.FirstPaid().String(), p.LastPaid().String(),
			}) {
				return
			}
		}
	}}
}
