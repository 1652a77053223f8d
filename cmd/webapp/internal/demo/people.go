package demo

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	whos "rebatedesk/people"
	"rebatedesk/reports"
	listed "rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
)

// The people of the demo: the invitees with the most commission, as far as names last. All
// names are invented.
var (
	firstNames = []string{"Ana", "Bilal", "Chiara", "Dmitri", "Elif", "Femi", "Grace", "Hiro"}
	lastNames  = []string{"Almeida", "Brandt", "Castellano", "Duarte", "Eriksen", "Fontaine"}
	named      = len(firstNames) * len(lastNames)
)

// keyTag is the tag of those with the most commission, and the segment of the demo.
const (
	keyTag       = "key account"
	keyAccounts  = 8
	communityTag = "community"
	ourCode      = "early-partners"
)

// AddPeople says who the invitees of the demo are, what was agreed, what they cost and what was done
// when. It does nothing if anybody was ever named.
func AddPeople(ctx context.Context, cfg config.Config, st *store.Store) error {
	standing, err := people.ReadStanding(ctx, st.Readers())
	if err != nil || standing.Changed.Known() {
		return err
	}
	service := reports.New(st, cfg.Now)
	list, err := byCommission(ctx, service)
	if err != nil || len(list) == 0 {
		return err
	}
	by := audit.Line{Actor: UserName, Via: access.ViaCommand}
	file, codes := peopleOf(list)
	if _, _, err := people.Import(ctx, st, file, "people.csv", by); err != nil {
		return fmt.Errorf("the people of the demo: %w", err)
	}
	if err := addTerms(ctx, cfg, st, list, by); err != nil {
		return fmt.Errorf("the terms of the demo: %w", err)
	}
	if _, err := service.AddSegment(ctx, "Key accounts", url.Values{"tag": {keyTag}}.Encode(), by); err != nil {
		return fmt.Errorf("the segment of the demo: %w", err)
	}
	today := affiliate.DayOf(cfg.Clock(), cfg.Timezone)
	for _, c := range costsOf(codes, today) {
		if _, err := costs.Table.Add(ctx, st, c, by); err != nil {
			return fmt.Errorf("the costs of the demo: %w", err)
		}
	}
	began := affiliate.Days{First: today - 20, Last: today - 20}
	if _, err := annotations.Add(ctx, st, annotations.Annotation{Days: began, Words: "Campaign with the community began"}, by); err != nil {
		return fmt.Errorf("the annotation of the demo: %w", err)
	}
	return nil
}

// byCommission lists invitees, those with the most commission of all time first.
func byCommission(ctx context.Context, service *reports.Service) ([]listed.ListLine, error) {
	basis, err := service.Basis(ctx)
	if err != nil {
		return nil, err
	}
	basis.Sorts = listed.Sorts
	q, err := query.Parse(url.Values{"range": {"all"}, "sort": {"-commission"}, "per": {"100"}}, basis)
	if err != nil {
		return nil, err
	}
	report, err := reports.Ask(ctx, service, q, listed.MakeList)
	return report.Lines, err
}

// peopleOf names invitees, and returns their invite codes in the order of the list.
func peopleOf(list []listed.ListLine) (file whos.File, codes []string) {
	seen := map[string]bool{}
	for i, line := range list[:min(len(list), named)] {
		entry := whos.PersonEntry{UID: line.UID, Line: i + 2}
		give := func(f whos.PersonField, text string) {
			entry.Values = append(entry.Values, whos.GivenValue{Field: f, Text: text})
		}
		give(whos.FieldName, firstNames[i%len(firstNames)]+" "+lastNames[i/len(firstNames)])
		switch {
		case i < keyAccounts:
			give(whos.FieldTags, keyTag)
		case i%3 == 0:
			give(whos.FieldTags, communityTag)
		}
		if i%2 == 0 {
			give(whos.FieldOwner, UserName)
		}
		if i%4 != 3 { // numbers and addresses that nobody has
			give(whos.FieldPhone, fmt.Sprintf("+1202555%04d", 100+i%100))
			give(whos.FieldEmail, strings.ToLower(firstNames[i%len(firstNames)]+"."+lastNames[i/len(firstNames)])+"@example.com")
		}
		if i == 1 {
			give(whos.FieldCost, "250")
			give(whos.FieldCostCoin, "USDT")
			give(whos.FieldNote, "Travel to the first meeting.")
		}
		switch code := line.InviteCode; {
		case code == "" && i%2 == 0:
			give(whos.FieldCode, ourCode)
		case code != "" && !seen[code]:
			seen[code], codes = true, append(codes, code)
		}
		file.Entries = append(file.Entries, entry)
	}
	return file, codes
}

// costsOf returns costs of the first codes, of our code and of a tag.
func costsOf(codes []string, today affiliate.Day) (list []costs.Cost) {
	for i, code := range codes[:min(len(codes), 2)] {
		list = append(list, []costs.Cost{
			{Scope: costs.OfCode, Value: code, Kind: costs.Monthly, Amount: "400", Coin: "USDT", First: today - 180, Note: "Newsletter"},
			{Scope: costs.OfCode, Value: code, Kind: costs.PerRegistration, Amount: "2.5", Coin: "USDT", First: today - 300},
		}[i])
	}
	return append(list,
		costs.Cost{Scope: costs.OfCode, Value: ourCode, Kind: costs.Once, Amount: "900", Coin: "USDT", First: today - 350, Note: "Stand at the fair"},
		costs.Cost{Scope: costs.OfTag, Value: communityTag, Kind: costs.Once, Amount: "6000", Coin: "USDT", First: today - 20, Note: "Campaign"})
}
