package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/evidence"
	"rebatedesk/pdf"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/books"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/reports/packs"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/closings"
	stored "rebatedesk/store/payments"
	"rebatedesk/terms"
)

// mostSheetRecords is the number of records above which a pack has no workbook of them.
const mostSheetRecords = 1_000_000

// EvidencePack is an evidence pack, ready to be written. Its bytes depend on what was known at
// its instant, and on the signing key, alone.
type EvidencePack struct {
	service *Service
	cache   *answers.Cache // of its own: the books depend on the payout rule of the closing
	key     evidence.SigningKey
	subject evidence.PackSubject
	name    string // of the file, without its ending

	asked  query.Query    // of the records
	rule   string         // the setting PAYOUT_RULE of the closing
	about  string         // "commissions of October 2026"
	narrow string         // what it is narrowed to, a sentence; empty: nothing
	month  *packs.Closing // nil: it is about a dispute
	line   *stored.LineKey
	found  *rates.Deviation // its lines alone; nil: those of the query
	money  bool             // it has payments and bills
	rated  bool             // it has rates
	booked bool             // it has the statement of account
}

// NotClosedError is returned for the pack of a month that is not closed.
type NotClosedError struct{ Month affiliate.Day }

func (e *NotClosedError) Error() string {
	return fmt.Sprintf("%s is not closed, so there is no instant as of which a pack could be made: close it first, by webapp month close %s or on the page of months",
		phrase.MonthName(e.Month), closings.MonthText(e.Month))
}

// OpenMonthPack opens the pack of a closed month, as known at the instant of its closing. If the
// month is not closed, the error is a *[NotClosedError].
func (s *Service) OpenMonthPack(ctx context.Context, month affiliate.Day) (*EvidencePack, error) {
	closing, err := s.closingInForce(ctx, month)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(closing.Zone)
	if err != nil {
		return nil, fmt.Errorf("the zone of the closing: %w", err)
	}
	text := closings.MonthText(month)
	p := s.newPack(query.Query{Days: months.DaysOf(month)}, zone, closing.Known)
	p.subject.Kind, p.subject.Subject, p.name = evidence.MonthPack, text, "evidence_"+text
	p.about, p.month, p.rule, p.money, p.rated = packs.CommissionsOf(phrase.MonthName(month)), closing, closing.PayoutRule, true, true
	return p, nil
}

// LatestInstant returns the newest instant of which something is known: that of the last write.
func (s *Service) LatestInstant(ctx context.Context) (time.Time, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer r.Close()
	at, err := r.LastWrite(ctx)
	return at.Time().UTC(), err
}

// OpenInviteePack opens the pack of the records of an invitee, whom the query names, in the days
// of the query and as of its instant. Other filters of the query than its account are not used.
func (s *Service) OpenInviteePack(ctx context.Context, asked query.Query) (*EvidencePack, error) {
	p := s.newPack(query.Query{Days: asked.Days, UID: asked.UID, Account: asked.Account}, asked.Zone, asked.AsOfMillis())
	uid := affiliate.OneLine(string(asked.UID))
	p.subject.Subject, p.name = plain("invitee "+uid), "evidence_invitee_"+uid
	p.about, p.rated = packs.CommissionsOf("invitee "+uid+", "+phrase.Days(asked.Days)), true
	p.narrow = "It is narrowed to the records of invitee " + uid + ofAccount(asked.Account) + ". Payments and bills are sums of many invitees and therefore not in it."
	return p, s.checkAccount(ctx, asked.Account)
}

// OpenPaymentPack opens the pack of a line of the books, as of the instant of the query. A line
// that did not exist then is a *[store.RuleError].
func (s *Service) OpenPaymentPack(ctx context.Context, asked query.Query, key stored.LineKey) (*EvidencePack, error) {
	then := asked
	then.Account = key.Account
	detail, err := s.Payment(ctx, then, key)
	if err != nil {
		return nil, err
	}
	line := &detail.Line
	first, last := affiliate.DayOf(line.From.Time(), time.UTC), affiliate.DayOf(max(line.To-1, line.From).Time(), time.UTC)
	narrow := query.Query{Days: affiliate.Days{First: first, Last: last}, Account: key.Account, Coin: detail.Coins}
	switch line.Kind {
	case books.Direct:
		narrow.Source = affiliate.Direct
	case books.Sub:
		narrow.Source = affiliate.SubAgent
	}
	p := s.newPack(narrow, time.UTC, asked.AsOfMillis())
	period := phrase.PaymentPeriod(line.From, line.To)
	name := strings.Join([]string{string(key.Account), string(key.Coin), key.Kind, line.From.Time().UTC().Format("2006-01-02T1504")}, "_")
	p.subject.Subject, p.name = plain("payment "+name), "evidence_payment_"+name
	p.about, p.line, p.money = packs.CommissionsOf(period+", "+affiliate.OneLine(string(key.Coin))), &key, true
	p.narrow = "It is narrowed to one line of payments, " + phrase.PaymentOf(line.Line) + ofAccount(key.Account) + ": its bills, and the records of the UTC days of its period."
	return p, nil
}

// OpenAccountPack opens the pack of the statement of account of the query's days, as of its instant. Other
// filters of the query than its account and coin are not used.
func (s *Service) OpenAccountPack(ctx context.Context, asked query.Query) (*EvidencePack, error) {
	p := s.newPack(query.Query{Days: asked.Days, Account: asked.Account, Coin: asked.Coin}, time.UTC, asked.AsOfMillis())
	days := phrase.Days(asked.Days)
	p.subject.Subject, p.name = plain("account "+days), strings.Join([]string{"account", asked.Days.First.String(), asked.Days.Last.String()}, "_")
	p.about, p.money, p.booked = packs.CommissionsOf(days), true, true
	p.narrow = "It has the statement of account of these days" + ofAccount(asked.Account) + ": what fell due, what was paid, and the balance."
	return p, s.checkAccount(ctx, asked.Account)
}

// OpenRatePack opens the pack of a finding about rates, as of the instant of the query, in whose
// days it was found. A finding that did not exist then is a *[store.RuleError].
func (s *Service) OpenRatePack(ctx context.Context, asked query.Query, finding string) (*EvidencePack, error) {
	report, err := Ask(ctx, s, asked, rates.Make)
	if err != nil {
		return nil, err
	}
	for i := range report.Deviations {
		found := &report.Deviations[i]
		if found.ID != finding {
			continue
		}
		narrow := query.Query{Days: found.Days, Account: found.Account, Product: found.Product}
		who := packs.WhoOf(found)
		switch found.Scope {
		case terms.ScopeUID:
			narrow.UID = affiliate.UID(found.Value)
		case terms.ScopeCode:
			narrow.Code = found.Value
		}
		p := s.newPack(narrow, asked.Zone, asked.AsOfMillis())
		p.subject.Subject, p.name = plain("rates "+finding), "evidence_rates_"+finding
		p.about, p.found, p.rated = packs.CommissionsOf(who+", "+phrase.Days(found.Days)), found, true
		p.narrow = "It is narrowed to one finding about rates, of " + who + ofAccount(found.Account) + ". Payments and bills are not in it."
		return p, nil
	}
	return nil, &store.RuleError{Missing: true, Problem: "There was no such finding about rates in these days at this instant. Open it from the page of rates."}
}

func (s *Service) checkAccount(ctx context.Context, account affiliate.Account) error {
	r, err := s.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	known, err := r.Accounts(ctx)
	if err == nil && account != "" && !slices.Contains(known, account) {
		err = &query.ParamError{Param: "account", Value: string(account), Problem: "there is no such account; the accounts are " + query.Join(known)}
	}
	return err
}

func ofAccount(account affiliate.Account) string {
	if account == "" {
		return ""
	}
	return " of the account " + affiliate.OneLine(string(account))
}

// plain replaces what cannot stand in the subject of a manifest.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, text)
}

// newPack returns a pack of the records of a query, as known at an instant.
func (s *Service) newPack(asked query.Query, zone *time.Location, known affiliate.Millis) *EvidencePack {
	at := known.Time().UTC()
	asked.Range, asked.AsOf, asked.Zone, asked.Today = query.Custom, at, zone, affiliate.DayOf(at, zone)
	asked.Sort, asked.Page, asked.Per = query.Sort{Field: "time"}, 1, 1<<30
	return &EvidencePack{service: s, cache: answers.New(), asked: asked, rule: s.payout, subject: evidence.PackSubject{Kind: evidence.DisputePack, AsOf: at}}
}

// closingInForce returns the closing of a month that is in force, with its lists.
func (s *Service) closingInForce(ctx context.Context, month affiliate.Day) (*packs.Closing, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	list, err := closings.Of(ctx, r, month, 0)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || !list[0].InForce() {
		return nil, &NotClosedError{month}
	}
	details, err := closings.ReadDetails(ctx, r, list[0].ID)
	return &packs.Closing{Closing: list[0], Details: details}, err
}

// SignBy sets the key that signs the pack. It must be called before [EvidencePack.Write].
func (p *EvidencePack) SignBy(key evidence.SigningKey) { p.key = key }

// Close releases the pack.
func (p *EvidencePack) Close() error { return nil }

// FileName returns the name of the file.
func (p *EvidencePack) FileName(export.Format) string { return strings.Map(fileRune, p.name) + ".zip" }

// packWriting is the writing of a pack.
type packWriting struct {
	*EvidencePack
	out      *evidence.PackWriter
	records  export.RowTally
	letter   packs.SupportLetter
	accounts []affiliate.Account // whose records were collected
	lack     string              // what is not collected, a sentence; empty: all is
	coverage []packs.Coverage
}

// Write writes the pack. Its memory does not grow with the number of records. After an error the
// output is truncated, and the caller must make that visible.
func (p *EvidencePack) Write(ctx context.Context, w io.Writer, _ export.Format) (_ export.RowTally, err error) {
	out, err := evidence.NewPack(w, p.subject, p.key)
	if err != nil {
		return export.RowTally{}, err
	}
	defer func() { err = errors.Join(err, out.Release()) }()
	writing := &packWriting{EvidencePack: p, out: out}
	for _, part := range []func(context.Context) error{
		writing.readCoverage, writing.addReadme, writing.addClosing, writing.addRecords, writing.addPayments, writing.addAccount, writing.addChanges, writing.addRates, writing.addTerms, writing.addCoverage, writing.addAnswers, writing.addLetter,
	} {
		if err := part(ctx); err != nil {
			return writing.records, fmt.Errorf("evidence pack %s: %w", p.subject.Subject, err)
		}
	}
	return writing.records, out.Close()
}

// ask opens a query as of the instant of the pack, for as long as f runs. Each member has a
// transaction of its own, because what was known at the instant does not change.
func (p *EvidencePack) ask(ctx context.Context, asked query.Query, f func(context.Context, *snapshot.Snapshot) error) error {
	opened, err := snapshot.Open(ctx, p.service.store, p.cache, p.subject.AsOf, asked, p.service.bound)
	if err != nil {
		return err
	}
	q := *opened
	q.PayoutRule, q.Zone, q.Tx = p.rule, asked.Zone, opened.Tx.In(asked.Zone)
	return errors.Join(f(ctx, &q), opened.Close())
}

// facts describe a member that is a table.
func (w *packWriting) facts(kind string, asked query.Query) export.Metadata {
	at := w.subject.AsOf.Format(time.RFC3339Nano)
	return export.Metadata{
		Kind: kind, From: asked.Days.First.String(), To: asked.Days.Last.String(), Timezone: asked.Zone.String(),
		AsOf: at, Written: at, Complete: w.lack == "", Lack: w.lack,
	}
}

// tableOf makes a table from a question.
type tableOf func(context.Context, *snapshot.Snapshot) (export.Table, error)

// add adds a table as CSV, and as a workbook unless it has too many rows.
func (w *packWriting) add(ctx context.Context, path string, asked query.Query, table tableOf) (export.RowTally, error) {
	tally, err := w.addAs(ctx, path+".csv", export.CSV, path, asked, table)
	if err != nil || tally.Rows > mostSheetRecords {
		return tally, err
	}
	return w.addAs(ctx, path+".xlsx", export.XLSX, path, asked, table)
}

func (w *packWriting) addAs(ctx context.Context, path string, format export.Format, kind string, asked query.Query, table tableOf) (tally export.RowTally, err error) {
	err = w.ask(ctx, asked, func(ctx context.Context, q *snapshot.Snapshot) error {
		t, err := table(ctx, q)
		if err != nil {
			return err
		}
		member, err := w.out.Create(path)
		if err != nil {
			return err
		}
		tally, err = export.Encode(member, format, t, w.facts(kind, asked))
		return err
	})
	if err != nil {
		return tally, fmt.Errorf("%s: %w", path, err)
	}
	return tally, nil
}

// tables lists the tables of the pack besides those that every pack has.
func (w *packWriting) files() []string {
	files := []string{packs.RecordsFile, packs.TermsFile, packs.CoverageFile, packs.AnswersFile, packs.LetterTextFile, packs.LetterPDFFile}
	if w.month != nil {
		files = append(files, packs.ClosingTextFile, packs.ClosingJSONFile)
	}
	if w.money {
		files = append(files, packs.PaymentsFile, packs.BillsFile)
	}
	if w.booked {
		files = append(files, packs.AccountFile, packs.AccountPDFFile)
	}
	if w.changed() {
		files = append(files, packs.ChangesFile)
	}
	if w.rated {
		files = append(files, packs.RatesFile)
	}
	return files
}

func (w *packWriting) addReadme(context.Context) error {
	readme := packs.Readme{About: w.about, Selection: w.narrow, Zone: w.asked.Zone, AsOf: w.subject.AsOf, Files: w.files(), Incomplete: w.lack, Fingerprint: w.key.Public().Fingerprint()}
	return w.out.Add(packs.ReadmeFile, []byte(readme.Text()))
}

func (w *packWriting) addClosing(context.Context) error {
	if w.month == nil {
		return nil
	}
	if err := w.out.Add(packs.ClosingTextFile, []byte(w.month.Text())); err != nil {
		return err
	}
	text, err := w.month.JSON()
	if err != nil {
		return err
	}
	return w.out.Add(packs.ClosingJSONFile, text)
}

func (w *packWriting) addRecords(ctx context.Context) (err error) {
	w.records, err = w.add(ctx, packs.RecordsFile, w.asked, commissions.File.Table)
	return err
}

// addPayments adds the lines of the books, and their bills. Their days are UTC days.
func (w *packWriting) addPayments(ctx context.Context) error {
	if !w.money {
		return nil
	}
	asked := w.asked
	asked.Zone, asked.Sort, asked.Source = time.UTC, query.Sort{Field: "period"}, ""
	var lines []payments.PaymentLine
	ruled := map[affiliate.Account]bool{}
	err := w.ask(ctx, asked, func(ctx context.Context, q *snapshot.Snapshot) error {
		report, err := payments.Make(ctx, q)
		lines = report.Lines
		for _, rule := range report.Rules {
			ruled[rule.Account] = ruled[rule.Account] || rule.Known
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", packs.PaymentsFile, err)
	}
	if w.line != nil {
		lines = slices.DeleteFunc(lines, func(l payments.PaymentLine) bool { return l.Key() != *w.line })
	}
	_, err = w.add(ctx, packs.PaymentsFile, asked, func(context.Context, *snapshot.Snapshot) (export.Table, error) {
		return payments.PaymentTable(lines), nil
	})
	if err != nil {
		return err
	}
	_, err = w.add(ctx, packs.BillsFile, asked, func(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
		return payments.BillsOfLines(ctx, q, lines), nil
	})
	for i := range lines {
		of := w.claims(lines[i].Account)
		of.Ruled = ruled[of.Account]
		of.Payments = append(of.Payments, lines[i])
	}
	return err
}

// addAccount adds the statement of account.
func (w *packWriting) addAccount(ctx context.Context) error {
	if !w.booked {
		return nil
	}
	asked := w.asked
	asked.Zone, asked.Sort = time.UTC, query.Sort{}
	if _, err := w.add(ctx, packs.AccountFile, asked, payments.AccountTable); err != nil {
		return err
	}
	return w.ask(ctx, asked, func(ctx context.Context, q *snapshot.Snapshot) error {
		account, err := payments.MakeAccount(ctx, q)
		if err != nil {
			return err
		}
		member, err := w.out.Create(packs.AccountPDFFile)
		if err != nil {
			return err
		}
		return packs.WriteAccount(member, account, pdf.Letterhead{})
	})
}

// claims returns the part of the letter about an account.
func (w *packWriting) claims(account affiliate.Account) *packs.LetterAccount {
	for i := range w.letter.Accounts {
		if w.letter.Accounts[i].Account == account {
			return &w.letter.Accounts[i]
		}
	}
	w.letter.Accounts = append(w.letter.Accounts, packs.LetterAccount{Account: account})
	return &w.letter.Accounts[len(w.letter.Accounts)-1]
}

// changed reports whether the days of the pack had ended before its instant, so that something
// can have become known of them afterwards.
func (p *EvidencePack) changed() bool {
	return p.asked.Days.Range(p.asked.Zone).To.Before(p.subject.AsOf)
}

func (w *packWriting) addChanges(ctx context.Context) error {
	if !w.changed() {
		return nil
	}
	asked := w.asked
	asked.AsOf, asked.Since, asked.Until = time.Time{}, asked.Days.Range(asked.Zone).To, w.subject.AsOf
	_, err := w.add(ctx, packs.ChangesFile, asked, changes.File.Table)
	return err
}

// addRates adds the rates that were paid next to those that should have been paid.
func (w *packWriting) addRates(ctx context.Context) error {
	if !w.rated {
		return nil
	}
	asked := w.asked
	asked.Sort = rates.Accepted.Order
	table := rates.File.Table
	deviations := []rates.Deviation{}
	if w.found != nil {
		deviations = append(deviations, *w.found)
		table = func(context.Context, *snapshot.Snapshot) (export.Table, error) {
			return rates.LineTable(w.found.Lines), nil
		}
	} else {
		err := w.ask(ctx, asked, func(ctx context.Context, q *snapshot.Snapshot) (err error) {
			report, err := rates.Make(ctx, q)
			deviations = report.Deviations
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", packs.RatesFile, err)
		}
	}
	for i := range deviations {
		of := w.claims(deviations[i].Account)
		of.Rates = append(of.Rates, packs.RateClaims(&deviations[i])...)
		of.Overpaid = append(of.Overpaid, packs.RateExcess(&deviations[i])...)
	}
	_, err := w.add(ctx, packs.RatesFile, asked, table)
	return err
}

// addTerms adds the terms about commission records that held on a day of the pack.
func (w *packWriting) addTerms(ctx context.Context) error {
	var list []terms.Term
	err := w.ask(ctx, w.asked, func(ctx context.Context, q *snapshot.Snapshot) (err error) {
		list, err = packs.TermsOf(ctx, q)
		return err
	})
	if err != nil {
		return err
	}
	member, err := w.out.Create(packs.TermsFile)
	if err != nil {
		return err
	}
	return terms.WriteFile(member, list)
}

// readCoverage reads how completely the records were collected: of a month as it was frozen.
func (w *packWriting) readCoverage(ctx context.Context) error {
	if w.month != nil {
		w.coverage = packs.CoverageOfClosing(w.month)
		if !w.month.Complete {
			w.lack = "The month was closed incomplete: closing.txt says what was missing, and why it was closed all the same."
		}
	} else {
		err := w.ask(ctx, w.asked, func(ctx context.Context, q *snapshot.Snapshot) (err error) {
			w.coverage, err = packs.StreamsAt(ctx, q, w.money)
			return err
		})
		if err != nil {
			return err
		}
		if !packs.AllCollected(w.coverage) {
			w.lack = "Not all of these days had been collected by then: coverage.csv says which streams lack days."
		}
	}
	for _, c := range w.coverage {
		if !slices.Contains(w.accounts, c.Account) {
			w.accounts = append(w.accounts, c.Account)
			w.claims(c.Account)
		}
	}
	return nil
}

func (w *packWriting) addCoverage(ctx context.Context) error {
	_, err := w.addAs(ctx, packs.CoverageFile, export.CSV, "coverage", w.asked, func(context.Context, *snapshot.Snapshot) (export.Table, error) {
		return packs.CoverageTable(w.coverage), nil
	})
	return err
}

// addAnswers adds the fingerprints of the answers that the records and bills were read from.
func (w *packWriting) addAnswers(ctx context.Context) error {
	_, err := w.addAs(ctx, packs.AnswersFile, export.CSV, "answers", w.asked, func(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
		return packs.AnswersTable(ctx, q, w.money)
	})
	return err
}

// addLetter adds the letter, which lists the members before it.
func (w *packWriting) addLetter(context.Context) error {
	listed, err := w.out.Listed()
	if err != nil {
		return err
	}
	l := &w.letter
	l.About, l.AsOf, l.Records, l.Fingerprint = w.about, w.subject.AsOf, packs.RecordsFile+".csv", w.key.Public().Fingerprint()
	l.Files = slices.Clone(listed)
	if err := w.out.Add(packs.LetterTextFile, []byte(l.Text())); err != nil {
		return err
	}
	member, err := w.out.Create(packs.LetterPDFFile)
	if err != nil {
		return err
	}
	return l.WritePDF(member)
}
