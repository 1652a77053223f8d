package reporttest

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/evidence"
	"rebatedesk/reports"
	shownpayments "rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// PackedMonth is the month that packs are about.
var PackedMonth = affiliate.NewDay(2026, time.August, 1)

// PackKey is the same key in every run.
func PackKey(t testing.TB) evidence.SigningKey {
	t.Helper()
	key, err := evidence.SigningKeyOf(make([]byte, evidence.SeedSize))
	storetest.Done(t, err)
	return key
}

// Packed writes a pack.
func Packed(t testing.TB, pack *reports.EvidencePack, err error) []byte {
	t.Helper()
	storetest.Done(t, err)
	pack.SignBy(PackKey(t))
	var out bytes.Buffer
	_, err = pack.Write(t.Context(), &out, "")
	storetest.Done(t, errors.Join(err, pack.Close()))
	return out.Bytes()
}

// Packs writes a pack of each kind, as of one instant.
func (d *Fixture) Packs(t testing.TB, at time.Time) map[string][]byte {
	t.Helper()
	desk := d.Service
	all := map[string][]byte{}
	month, err := desk.OpenMonthPack(t.Context(), PackedMonth)
	all["month"] = Packed(t, month, err)
	asOf := "&as_of=" + at.UTC().Format(time.RFC3339Nano)
	q := d.QueryOf("from=2026-08-27&to=2026-09-10"+asOf, query.AcceptedParams{})
	q.UID = "4667776803"
	invitee, err := desk.OpenInviteePack(t.Context(), q)
	all["invitee"] = Packed(t, invitee, err)
	lines := d.QueryOf("from=2026-08-27&to=2026-09-10&per=200"+asOf, shownpayments.Accepted)
	books, err := reports.Ask(t.Context(), d.Service, lines, shownpayments.Make)
	storetest.Done(t, err)
	for i := range books.Lines {
		if line := &books.Lines[i]; len(line.Bills) > 0 && line.From != line.To && all["payment"] == nil {
			payment, err := desk.OpenPaymentPack(t.Context(), d.QueryOf("range=90d"+asOf, query.AcceptedParams{}), line.Key())
			all["payment"] = Packed(t, payment, err)
		}
	}
	asked := d.QueryOf("from=2026-08-27&to=2026-09-10"+asOf, shownrates.Accepted)
	report, err := reports.Ask(t.Context(), d.Service, asked, shownrates.Make)
	storetest.Done(t, err)
	if len(report.Deviations) == 0 || all["payment"] == nil {
		t.Fatalf("%d findings about rates, %d lines of payments", len(report.Deviations), len(books.Lines))
	}
	rate, err := desk.OpenRatePack(t.Context(), asked, report.Deviations[0].ID)
	all["rate"] = Packed(t, rate, err)
	return all
}

// MembersOf reads the members of a sound pack.
func MembersOf(t testing.TB, pack []byte) map[string]string {
	t.Helper()
	found, err := evidence.Check(bytes.NewReader(pack), int64(len(pack)), PackKey(t).Public().Fingerprint())
	if err != nil || len(found.Faults) > 0 {
		t.Fatalf("%v, %v", found.Faults, err)
	}
	z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	storetest.Done(t, err)
	members := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		storetest.Done(t, err)
		text, err := io.ReadAll(r)
		storetest.Done(t, errors.Join(err, r.Close()))
		members[f.Name] = string(text)
	}
	return members
}

// FillForPacks fills a database, and closes August.
func (d *Fixture) FillForPacks(t testing.TB) {
	d.FillVaried()
	d.Agree("scope,value,product_type,rate,from,to,note", "all,,,0.5,2026-08-01,,agreed by mail", "uid,4667776803,SPOT,0.5,2026-08-01,,\"=HYPERLINK(\"\"x\"\")\"", "sub-affiliate,,,0.2,2026-08-01,,not for the exchange")
	_, err := d.Service.CloseMonth(t.Context(), PackedMonth, true, "the first days were never collected", audit.Line{Actor: "ada"})
	storetest.Done(t, err)
}

// Change restates what the packs are about: records, bills, terms, notes and accounts.
func (d *Fixture) Change(t testing.TB) {
	t.Helper()
	d.Now = d.Now.Add(26 * time.Hour)
	d.Read("main", Spot, Days(-20, 0), Trade(Today-16, Spot, 3, "77"), Trade(Today-8, Spot, 3, "78"))
	d.Read("new", Futures, Days(-30, 0), Trade(Today-16, Futures, 3, "5"))
	d.ReadInvitees("main", Days(-20, 0), affiliate.Invitee{UID: "4667776803", RegisterTime: Midnight(Today - 3), InviteCode: "other"})
	d.Want("main", Today-300)
	d.Sample("BTC", "70000")
	d.Agree("scope,value,product_type,rate,from,to,note", "all,,,0.9,2026-08-20,,later")
	d.Now = d.Now.Add(time.Hour)
}
