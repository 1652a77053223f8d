package people_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	file "rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
	"rebatedesk/store/upkeep"
)

var ann = audit.Line{Actor: "ann", Via: "command"}

// earning returns a store with records of invitees 1 to 6. The exchange lists 1 to 4, and tells
// a code of 1 and 2.
func earning(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.Audited(t)
	earn(t, s)
	return s
}

func earn(t *testing.T, s *store.Store) {
	t.Helper()
	_, err := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), []affiliate.Invitee{
		{UID: "1", InviteCode: "alpha", RegisterTime: storetest.At(storetest.Day)}, {UID: "2", InviteCode: "beta", RegisterTime: storetest.At(storetest.Day)},
		{UID: "3", RegisterTime: storetest.At(storetest.Day)}, {UID: "4", RegisterTime: storetest.At(storetest.Day)}})
	storetest.Done(t, err)
	var list []affiliate.Commission
	for n := range 18 {
		c := storetest.Record(n, affiliate.Number(fmt.Sprint("0.", n+1)))
		c.UID = affiliate.UID(fmt.Sprint(1 + n%6))
		list = append(list, c)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), list...)
}

// figures are all that codes decide, and all that they do not.
type figures struct {
	total  []sums.DaySums
	byCode map[string]string // by the roll-up of codes
	again  map[string]string // by adding up invitees
	file   string
}

func figuresOf(t *testing.T, s *store.Store) (f figures) {
	t.Helper()
	ctx, r := context.Background(), storetest.Reader(t, s)
	defer r.Close()
	filter := records.CommissionFilter{Days: storetest.OneDay, Coin: storetest.Record(0, "1").Coin}
	var err error
	f.total, err = sums.ByDay(ctx, r, filter)
	storetest.Done(t, err)
	f.byCode, f.again = map[string]string{}, map[string]string{}
	days, err := sums.ByCodeDay(ctx, r, filter)
	storetest.Done(t, err)
	for _, day := range days {
		f.byCode[day.Code] = fmt.Sprint(day.Records, " ", day.Commission.Canonical())
	}
	codes, err := sums.InviteeCodes(ctx, r, records.InviteeFilter{})
	storetest.Done(t, err)
	invitees, err := sums.ByInvitee(ctx, r, filter)
	storetest.Done(t, err)
	count, sum := map[string]int64{}, map[string]*affiliate.Sum{}
	for _, i := range invitees {
		key := codes[sums.InviteeKey{Account: i.Account, UID: i.UID}]
		if sum[key] == nil {
			sum[key] = new(affiliate.Sum)
		}
		count[key] += i.Records
		sum[key].Add(i.Commission)
	}
	for key := range sum {
		f.again[key] = fmt.Sprint(count[key], " ", affiliate.Number(sum[key].String()).Canonical())
	}
	kept, err := people.Kept(ctx, r)
	storetest.Done(t, err)
	var b bytes.Buffer
	storetest.Done(t, file.WriteCSV(&b, kept))
	f.file = b.String()
	return f
}

func drawFile(t *rapid.T) (f file.File) {
	for n := range 8 {
		if !rapid.Bool().Draw(t, "there") {
			continue
		}
		e := file.PersonEntry{UID: affiliate.UID(fmt.Sprint(n + 1)), Line: n + 2}
		for _, field := range []file.PersonField{file.FieldName, file.FieldCode, file.FieldTags, file.FieldOwner} {
			if text := rapid.SampledFrom([]string{"leave", "", "alpha", "own", "VIP"}).Draw(t, string(field)); text != "leave" {
				e.Values = append(e.Values, file.GivenValue{Field: field, Text: text})
			}
		}
		if rapid.Bool().Draw(t, "costs") {
			e.Values = append(e.Values, file.GivenValue{Field: file.FieldCost, Text: "12.5"}, file.GivenValue{Field: file.FieldCostCoin, Text: "USDT"})
		}
		f.Entries = append(f.Entries, e)
	}
	return f
}

// No import changes a total; codes get what their invitees brought; an undo restores every
// figure and the people file; and the database is sound after each.
func TestImportsMoveCodesAndNothingElse(t *testing.T) {
	storetest.Engines(t, "statements of imports", testImportsMoveCodesAndNothingElse)
}

func testImportsMoveCodesAndNothingElse(t *testing.T) {
	for round := range 8 {
		s := earning(t)
		before := figuresOf(t, s)
		var states []figures
		var ids []int64
		states = append(states, before)
		for n := range 1 + round%3 {
			done, _, err := people.Import(t.Context(), s, rapid.Custom(drawFile).Example(10*round+n), "people.csv", ann)
			storetest.Done(t, err)
			ids = append(ids, done.ID)
			states = append(states, figuresOf(t, s))
		}
		same := func(what string, is, want figures) {
			if !slices.Equal(is.total, before.total) {
				t.Fatalf("%s: the totals are %v, want %v", what, is.total, before.total)
			}
			if !maps.Equal(is.byCode, is.again) {
				t.Fatalf("%s: codes have %v, their invitees brought %v", what, is.byCode, is.again)
			}
			if !maps.Equal(is.byCode, want.byCode) || is.file != want.file {
				t.Fatalf("%s: %v\n%s\nwant %v\n%s", what, is.byCode, is.file, want.byCode, want.file)
			}
		}
		for i := range states {
			same(fmt.Sprint("after import ", i), states[i], states[i])
		}
		for i := len(ids) - 1; i >= 0; i-- {
			_, kept, err := people.Undo(t.Context(), s, ids[i], ann)
			storetest.Done(t, err)
			if len(kept) > 0 {
				t.Fatalf("undoing %d left %v", ids[i], kept)
			}
			same(fmt.Sprint("after undoing ", ids[i]), figuresOf(t, s), states[i])
		}
		for finding, err := range upkeep.Verify(t.Context(), s) {
			if err != nil || finding.Check == "roll-ups" && !finding.Sound() {
				t.Fatalf("verify: %+v (%v)", finding, err)
			}
		}
	}
}
