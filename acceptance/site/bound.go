package site

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// SharedDesk is a server over [storetest.Shared] with a manager, who may be bound.
type SharedDesk struct {
	Server *web.Server
	*Visitor
	Store  *store.Store
	Access *access.Service
	Before affiliate.Millis
}

func OpenSharedDesk(t testing.TB, keeps func(affiliate.Account, affiliate.UID) bool, bound ...affiliate.Binding) *SharedDesk {
	t.Helper()
	st, before := storetest.Shared(t, keeps)
	for _, account := range []affiliate.Account{"main", "second"} {
		for _, uid := range []affiliate.UID{"49317700", "49317703", "49317713"} {
			if keeps(account, uid) {
				storetest.Done(t, people.AddTag(t.Context(), st, account, uid, "harbour", audit.Line{Actor: "ann"}))
			}
		}
		if keeps(account, "49317705") {
			storetest.Done(t, people.AddTag(t.Context(), st, account, "49317705", "lighthouse", audit.Line{Actor: "ann"}))
		}
	}
	for n := range 14 {
		uid := affiliate.UID(fmt.Sprint(49317700 + n))
		if !keeps("main", uid) && !keeps("second", uid) {
			continue
		}
		who := whos.PersonEntry{UID: uid, Values: []whos.GivenValue{{Field: whos.FieldName, Text: "Name of " + string(uid)}, {Field: whos.FieldOwner, Text: "owner-" + string(uid)},
			{Field: whos.FieldCost, Text: string(uid)}, {Field: whos.FieldCostCoin, Text: "USDT"},
			{Field: whos.FieldPhone, Text: "+" + string(uid)}, {Field: whos.FieldEmail, Text: string(uid) + "@example.com"}, {Field: whos.FieldTelegram, Text: "tg_" + string(uid)}}}
		if n > 11 { // the exchange tells no code of them
			who.Values = append(who.Values, whos.GivenValue{Field: whos.FieldCode, Text: "OURS" + string(uid)})
		}
		storetest.Done(t, people.Edit(t.Context(), st, who, store.AnyVersion, audit.Line{Actor: "ann"}))
	}
	costEach(t, st)
	for _, day := range []affiliate.Day{affiliate.NewDay(2026, time.May, 30), affiliate.NewDay(2026, time.July, 2)} {
		at := affiliate.MillisOf(day.Start(time.UTC))
		price := records.Rate{Coin: "BTC", Quote: "USDT", Price: affiliate.Number(fmt.Sprint(60_000 + int(day)%1000)), At: at, Source: "spot ticker", Symbol: "BTCUSDT_SPBL"}
		_, err := records.AddRates(t.Context(), st, []records.Rate{price})
		storetest.Done(t, err)
	}
	at := func() time.Time { return storetest.SharedNow }
	service := reports.New(st, at)
	people := access.NewForTests(access.Options{Store: st, Box: secret.NewKey().Box(), Now: at})
	AddUser(t, people, "mara", access.Manager, LongWord)
	if len(bound) > 0 {
		storetest.Done(t, access.Bind(t.Context(), people, Command, "mara", store.AnyVersion, bound))
	}
	address, server := Serve(t, web.Options{Reports: service, Desk: service, Access: people})
	d := &SharedDesk{Visitor: Visit(t, address), Server: server, Store: st, Access: people, Before: before}
	if a := d.SignIn("mara", LongWord); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("signing in: status %d", a.StatusCode)
	}
	return d
}

// CodesOf lists the invite codes of a store.
func CodesOf(t testing.TB, st *store.Store) []string {
	t.Helper()
	r, err := st.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	codes, err := records.Codes(t.Context(), r, affiliate.Members{}, 0)
	storetest.Done(t, err)
	return codes
}

// costEach gives each code, each tag and one person a cost.
func costEach(t testing.TB, st *store.Store) {
	t.Helper()
	r, err := st.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	tags, err := people.Tags(t.Context(), r)
	storetest.Done(t, err)
	for _, code := range CodesOf(t, st) {
		cost := costs.Cost{Scope: costs.OfCode, Value: code, Amount: "3.5", Coin: "USDT", First: affiliate.NewDay(2026, time.June, 1)}
		for _, cost.Kind = range []costs.Kind{costs.PerRegistration, costs.PerFirstTrade} {
			_, err := costs.Table.Add(t.Context(), st, cost, audit.Line{Actor: "ann"})
			storetest.Done(t, err)
		}
	}
	for _, tag := range tags {
		_, err := costs.Table.Add(t.Context(), st, costs.Cost{Scope: costs.OfTag, Value: tag.Tag, Kind: costs.Once, Amount: "7", Coin: "USDT", First: affiliate.NewDay(2026, time.June, 20)}, audit.Line{Actor: "ann"})
		storetest.Done(t, err)
	}
}
