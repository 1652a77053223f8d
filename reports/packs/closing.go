package packs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/pdf"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/closings"
)

// Closing is a closed month with the lists that were frozen.
type Closing struct {
	closings.Closing
	closings.Details
}

// closingJSON is the form of closing.json. Amounts are strings, exact.
type closingJSON struct {
	Month    string         `json:"month"`
	Timezone string         `json:"timezone"`
	AsOf     string         `json:"as_of"`
	Closed   string         `json:"closed"`
	ClosedBy string         `json:"closed_by"`
	Complete bool           `json:"complete"`
	Proof    []string       `json:"proof"`
	Reason   string         `json:"reason,omitempty"`
	Sums     []sumJSON      `json:"sums"`
	Coverage []coverageJSON `json:"coverage"`
	Payments []paymentJSON  `json:"open_payments"`
	Findings []findingJSON  `json:"findings"`
}

type sumJSON struct {
	Account                            string `json:"account"`
	Product                            string `json:"product_type"`
	Coin                               string `json:"coin"`
	Source                             string `json:"source_type"`
	Records                            int64  `json:"records"`
	affiliate.Summed[affiliate.Number]        // left out: unknown
}

type coverageJSON struct {
	Account   string `json:"account"`
	Stream    string `json:"stream"`
	Product   string `json:"product_type,omitempty"`
	Days      int    `json:"days"`
	Collected int    `json:"collected"`
	Settled   int    `json:"settled"`
	Verified  int    `json:"verified"`
	Failed    int    `json:"failed"`
	Missing   int    `json:"missing"`
	Beyond    int    `json:"beyond"`
	Read      string `json:"newest_reading,omitempty"`
}

type paymentJSON struct {
	From       string `json:"period_from"`
	To         string `json:"period_to"`
	Account    string `json:"account"`
	Coin       string `json:"coin"`
	Kind       string `json:"kind"`
	Bill       string `json:"bill,omitempty"`
	State      string `json:"state"`
	Earned     string `json:"earned"`
	Paid       string `json:"paid"`
	Difference string `json:"difference"`
}

type findingJSON struct {
	Kind    string `json:"kind"`
	Account string `json:"account,omitempty"`
	Coin    string `json:"coin"`
	Records int64  `json:"records"`
	Amount  string `json:"amount"`
	Words   string `json:"words"`
}

// JSON returns the closing as JSON.
func (c *Closing) JSON() ([]byte, error) {
	out := closingJSON{
		Month: closings.MonthText(c.Month), Timezone: c.Zone, AsOf: c.Known.String(), Closed: c.Closed.String(), ClosedBy: c.Actor,
		Complete: c.Complete, Proof: append([]string{}, c.Proof...), Reason: c.Reason,
		Sums: []sumJSON{}, Coverage: []coverageJSON{}, Payments: []paymentJSON{}, Findings: []findingJSON{},
	}
	for _, s := range c.Sums {
		out.Sums = append(out.Sums, sumJSON{string(s.Account), string(s.Product), string(s.Coin), string(s.Source), s.Records, s.Summed})
	}
	for _, v := range c.Coverage {
		one := coverageJSON{string(v.Account), string(v.Stream.Kind), string(v.Stream.Product), v.Days, v.Collected, v.Settled, v.Verified, v.Failed, v.Missing, v.Beyond, ""}
		if v.Read.Known() {
			one.Read = v.Read.String()
		}
		out.Coverage = append(out.Coverage, one)
	}
	for _, p := range c.Payments {
		out.Payments = append(out.Payments, paymentJSON{p.From.String(), p.To.String(), string(p.Account), string(p.Coin), p.Kind, p.Bill, p.State,
			string(p.Earned), string(p.Paid), string(p.Difference)})
	}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, findingJSON{f.Kind, string(f.Account), string(f.Coin), f.Records, string(f.Amount), f.Words})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(out)
	return text.Bytes(), err
}

// Text returns the closing as plain text.
func (c *Closing) Text() string {
	p := &paper{}
	name := phrase.MonthName(c.Month)
	state := "complete"
	if !c.Complete {
		state = "incomplete"
	}
	p.heading(name + ", closed " + state)
	by := c.Actor
	if by == "" {
		by = "nobody named"
	}
	p.fields(
		pdf.Field{Label: "Days of", Value: c.Zone},
		pdf.Field{Label: "As known", Value: c.Known.String()},
		pdf.Field{Label: "Closed", Value: c.Closed.String() + " by " + by},
	)
	for _, words := range c.Proof {
		p.paragraph(words)
	}
	if c.Reason != "" {
		p.fields(pdf.Field{Label: "Reason", Value: c.Reason})
	}
	p.subheading("Sums")
	sums := pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Product"}, {Title: "Source"}, {Title: "Coin"},
		{Title: "Records", Right: true}}, Empty: "The month has no records."}
	for _, s := range c.Sums {
		sums.Rows = append(sums.Rows, []string{string(s.Account), string(s.Product), string(s.Source), string(s.Coin), phrase.Count(s.Records)})
	}
	for place, f := range affiliate.SummedFields {
		known := func(s closings.Sum) bool { return s.All()[place].Known() }
		if f.Kind != affiliate.AmountField || len(c.Sums) > 0 && !slices.ContainsFunc(c.Sums, known) {
			continue // the month was closed before the program knew the amount
		}
		sums.Columns = append(sums.Columns, pdf.Column{Title: affiliate.MetricAt(place).Label, Right: true})
		for i := range c.Sums {
			sums.Rows[i] = append(sums.Rows[i], string(*c.Sums[i].All()[place]))
		}
	}
	p.table(sums)
	p.subheading("Collection, in UTC days")
	covered := pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Stream"}, {Title: "Days", Right: true}, {Title: "Collected", Right: true},
		{Title: "Settled", Right: true}, {Title: "Read twice alike", Right: true}, {Title: "Missing", Right: true}, {Title: "Not given", Right: true}, {Title: "Newest reading (UTC)"}}, Empty: "Nothing was collected."}
	for _, v := range c.Coverage {
		covered.Rows = append(covered.Rows, []string{string(v.Account), v.Stream.String(), strconv.Itoa(v.Days), strconv.Itoa(v.Collected), strconv.Itoa(v.Settled),
			strconv.Itoa(v.Verified), strconv.Itoa(v.Missing + v.Failed), strconv.Itoa(v.Beyond), readAt(v.Read)})
	}
	p.table(covered)
	p.subheading("Open payments")
	open := pdf.Table{Columns: []pdf.Column{{Title: "Account"}, {Title: "Period (UTC)"}, {Title: "Kind"}, {Title: "State"}, {Title: "Coin"},
		{Title: "Earned", Right: true}, {Title: "Paid", Right: true}, {Title: "Difference", Right: true}}, Empty: "None."}
	for _, l := range c.Payments {
		open.Rows = append(open.Rows, []string{string(l.Account), phrase.PaymentPeriod(l.From, l.To), l.Kind, l.State, string(l.Coin), string(l.Earned), string(l.Paid), string(l.Difference)})
	}
	p.table(open)
	p.subheading("Findings")
	found := pdf.Table{Columns: []pdf.Column{{Title: "What"}, {Title: "Account"}, {Title: "Records", Right: true}, {Title: "Amount", Right: true}, {Title: "Coin"}}, Empty: "None."}
	for _, f := range c.Findings {
		account := string(f.Account)
		if account == "" {
			account = "all"
		}
		found.Rows = append(found.Rows, []string{f.Words, account, phrase.Count(f.Records), string(f.Amount), string(f.Coin)})
	}
	p.table(found)
	return p.text()
}

func readAt(at affiliate.Millis) string {
	if !at.Known() {
		return "never"
	}
	return at.Time().In(time.UTC).Format("2006-01-02 15:04:05")
}
