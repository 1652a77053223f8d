package payments_test

import (
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// billSlice covers days of a wallet.
func billSlice(kind affiliate.StreamKind, days affiliate.Days) records.Slice {
	slice := storetest.DaySlice(days)
	slice.Stream = affiliate.Stream{Kind: kind}
	return slice
}

func at(day affiliate.Day, after time.Duration) affiliate.Millis {
	return affiliate.MillisOf(day.Start(time.UTC).Add(after))
}

func all[T any](t *testing.T, rows iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for row, err := range rows {
		storetest.Done(t, err)
		list = append(list, row)
	}
	return list
}

// Bills are stored to the last digit, twins and unknown types included. A reading that finds
// one more, one less and one with another amount opens and closes just those, in its own days
// and wallet; every earlier state can be read again.
func TestBillsAreAMultiset(t *testing.T) {
	storetest.Engines(t, "rows that are equal, what is unique", testBillsAreAMultiset)
}

func testBillsAreAMultiset(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	day := storetest.Day
	days := affiliate.Days{First: day, Last: day + 1}
	reward := affiliate.Bill{Wallet: affiliate.SpotWallet, ID: "1180591620717411303424", CoinID: "2", Coin: "USDT", Business: "rr_agent_reward",
		Amount: "0.000000000000000001", Balance: "12345678901234567890.123456789012345678", Fees: "0", FillSize: "0", FillValue: "0", Created: at(day, time.Hour)}
	clawback := reward
	clawback.ID, clawback.Amount, clawback.Created = "2", "-17.50", at(day+1, 24*time.Hour-time.Millisecond)
	strange := reward
	strange.ID, strange.Business, strange.Coin, strange.CoinID, strange.Created = "3", "loyalty, \"2026\"", "", "777", at(day, 0)
	funding := affiliate.Bill{Wallet: affiliate.FundingWallet, ID: "2", CoinID: "2", Coin: "USDT", Business: "deposit", Amount: "", Balance: "5", Created: at(day, 0)}
	write := func(kind affiliate.StreamKind, list ...affiliate.Bill) records.Written {
		t.Helper()
		written, err := payments.ReplaceBills(t.Context(), s, billSlice(kind, days), list)
		storetest.Done(t, err)
		return written
	}
	read := func(f payments.BillFilter) (bills []affiliate.Bill) {
		t.Helper()
		r := storetest.Reader(t, s)
		defer r.Close()
		if f.Days == (affiliate.Days{}) {
			f.Days = days
		}
		for _, row := range all(t, payments.Bills(t.Context(), r, f)) {
			if row.Account != "main" || !row.FirstSeen.Known() {
				t.Errorf("%+v", row)
			}
			bills = append(bills, row.Bill)
		}
		return bills
	}
	equal := func(what string, got []affiliate.Bill, want ...affiliate.Bill) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", what, got, want)
		}
	}
	if w := write(affiliate.SpotBills, clawback, reward, reward, strange); w != (records.Written{Records: 4, Opened: 4}) {
		t.Errorf("the first reading wrote %+v", w)
	}
	write(affiliate.FundingBills, funding)
	first, err := s.LastWrite(t.Context())
	storetest.Done(t, err)
	equal("all", read(payments.BillFilter{}), funding, strange, reward, reward, clawback)
	again := reward
	again.Amount, again.Balance = "0.0000000000000000010", "12345678901234567890.1234567890123456780" // the same numbers
	if w := write(affiliate.SpotBills, again, strange, clawback, reward); w != (records.Written{Records: 4}) {
		t.Errorf("the same again wrote %+v", w)
	}
	less := clawback
	less.Amount = "-17.51"
	if w := write(affiliate.SpotBills, reward, strange, less, funded(strange)); w != (records.Written{Records: 4, Opened: 2, Closed: 2}) {
		t.Errorf("the changed reading wrote %+v", w)
	}
	equal("now", read(payments.BillFilter{Wallet: affiliate.SpotWallet}), strange, funded(strange), reward, less)
	equal("as of then", read(payments.BillFilter{AsOf: first}), funding, strange, reward, reward, clawback)
	equal("by type", read(payments.BillFilter{Types: []string{"deposit", strange.Business}}), funding, strange, funded(strange))
	equal("by coin", read(payments.BillFilter{Coin: "USDT", Days: affiliate.Days{First: day + 1, Last: day + 1}}), less)
	if other := read(payments.BillFilter{Account: "other"}); other != nil {
		t.Errorf("of another account: %+v", other)
	}

	for what, list := range map[string][]affiliate.Bill{"day": {{Wallet: affiliate.SpotWallet, Created: at(day+2, 0)}}, "wallet": {funding}} {
		if _, err := payments.ReplaceBills(t.Context(), s, billSlice(affiliate.SpotBills, days), list); err == nil || !strings.Contains(err.Error(), "does not belong there") {
			t.Errorf("a bill of another %s: %v", what, err)
		}
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	covered, err := records.Coverage(t.Context(), r, "main", days)
	storetest.Done(t, err)
	for _, c := range covered {
		if want := map[affiliate.StreamKind]int{affiliate.SpotBills: 1, affiliate.FundingBills: 1}[c.Stream.Kind]; c.Agreed != want || !c.Whole() {
			t.Errorf("%s %s: %+v", c.Stream, c.Day, c)
		}
	}
	if len(covered) != 4 {
		t.Errorf("%d days of wallets are covered, want 4", len(covered))
	}
}

// funded is another bill of the same instant and account.
func funded(b affiliate.Bill) affiliate.Bill {
	b.ID, b.Amount = b.ID+"0", "1"
	return b
}

// Transfers have no id: equal ones are several.
func TestTransfersAreAMultiset(t *testing.T) {
	storetest.Engines(t, "rows that are equal, what is unique", testTransfersAreAMultiset)
}

func testTransfersAreAMultiset(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day}
	one := affiliate.Transfer{Coin: "USDT", Status: "Successful", FromType: "spot", ToType: "isolated_margin", ToSymbol: "BTCUSDT", Amount: "1.000000000000000001", Time: at(storetest.Day, time.Minute)}
	other := one
	other.Coin, other.Status = "BTC", ""
	slice := billSlice(affiliate.Transfers, days)
	for i, list := range [][]affiliate.Transfer{{one, other, one}, {one, one}} {
		_, err := payments.ReplaceTransfers(t.Context(), s, slice, list)
		storetest.Done(t, err)
		r := storetest.Reader(t, s)
		var got []affiliate.Transfer
		for _, row := range all(t, payments.Transfers(t.Context(), r, payments.TransferFilter{Days: days, Account: "main"})) {
			got = append(got, row.Transfer)
		}
		if want := [][]affiliate.Transfer{{other, one, one}, {one, one}}[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("after write %d: %+v, want %+v", i, got, want)
		}
		if btc := all(t, payments.Transfers(t.Context(), r, payments.TransferFilter{Days: days, Coin: "BTC"})); len(btc) != 1-i {
			t.Errorf("after write %d: %d transfers of BTC", i, len(btc))
		}
		storetest.Done(t, r.Close())
	}
}

// A refused stream is reported on the first refusal, on a new reason, and on recovery.
func TestRefusals(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	note := func(f payments.Refusal) bool {
		t.Helper()
		news, err := payments.NoteRefusal(t.Context(), s, f)
		storetest.Done(t, err)
		return news
	}
	all := func() []payments.Refusal {
		t.Helper()
		list, err := payments.Refusals(t.Context(), s.Readers())
		storetest.Done(t, err)
		return list
	}
	key := payments.Refusal{Account: "main", Stream: affiliate.SpotBills, Error: "code 40014"}
	old := payments.Refusal{Account: "main", Stream: affiliate.Transfers, Error: "code 40017", FirstDay: storetest.Day}
	if !note(key) || note(key) || !note(old) || note(old) {
		t.Error("a refusal is not news once and only once")
	}
	if old.FirstDay++; note(old) {
		t.Error("it is news that another day has become too old")
	}
	list := all()
	if len(list) != 2 || list[0].Partial() || !list[1].Partial() || list[1].FirstDay != storetest.Day+1 || list[0].Error != key.Error {
		t.Fatalf("refused are %+v", list)
	}
	if first := list[0]; first.Since >= first.Last || !first.Since.Known() {
		t.Errorf("first refused at %s, last at %s", first.Since, first.Last)
	}
	if key.Error = "code 40018"; !note(key) {
		t.Error("another error is no news")
	}
	if old.FirstDay = 0; !note(old) {
		t.Error("that no day is given any more is no news")
	}
	storetest.Done(t, payments.ClearRefusal(t.Context(), s, "main", affiliate.SpotBills))
	if list = all(); len(list) != 1 || list[0].Stream != affiliate.Transfers || list[0].Partial() {
		t.Errorf("after one is given again: %+v", list)
	}
}
