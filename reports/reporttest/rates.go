package reporttest

import (
	"math/big"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// Agree stores the lines of a terms file.
func (d *Fixture) Agree(columns string, lines ...string) {
	d.Helper()
	file, err := terms.Parse(d.Context(), []byte(columns+"\n"+strings.Join(lines, "\n")+"\n"))
	storetest.Done(d, err)
	_, err = agreements.ImportTerms(d.Context(), d.DB, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
	storetest.Done(d, err)
}

// Rates makes the report of a query string.
func (d *Fixture) Rates(text string) shownrates.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, shownrates.Accepted), shownrates.Make)
	storetest.Done(d, err)
	return view
}

// TiersOf returns the figures of tiers, from the records themselves.
func (m *Model) TiersOf(t terms.Term, day affiliate.Day) *big.Rat {
	year, month, _ := day.Date()
	volume, traders := new(big.Rat), map[string]bool{}
	for _, r := range m.Records {
		y, mo, _ := affiliate.DayOf(r.DealTime.Time(), m.Zone).Date()
		if y != year || mo != month || t.Account != "" && r.Account != t.Account || t.Product != "" && r.Product != t.Product || t.Source != "" && r.Source != t.Source ||
			t.Scope == terms.ScopeUID && t.Value != string(r.UID) || t.Scope == terms.ScopeCode && t.Value != r.Code {
			continue
		}
		volume.Add(volume, Rat(m, string(r.TakerAmount)))
		volume.Add(volume, Rat(m, string(r.MakerAmount)))
		traders[string(r.Account)+" "+string(r.UID)] = true
	}
	if t.TierBy == terms.TierByActiveTraders {
		return new(big.Rat).SetInt64(int64(len(traders)))
	}
	return volume
}

// AgreeOnly replaces all terms.
func (d *Fixture) AgreeOnly(lines ...string) []terms.Term {
	d.Helper()
	list := func() []terms.Term {
		r := storetest.Reader(d, d.DB)
		defer r.Close()
		list, err := agreements.TermsAt(d.Context(), r, 0)
		storetest.Done(d, err)
		return list
	}
	for _, term := range list() {
		_, err := agreements.RemoveTerm(d.Context(), d.DB, term.ID, audit.Line{Actor: "ann"})
		storetest.Done(d, err)
	}
	if len(lines) > 0 {
		d.Agree("scope,value,product_type,rate,from,to,account,source,tier_by,tier_from", lines...)
	}
	return list()
}
