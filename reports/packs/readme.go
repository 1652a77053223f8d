package packs

import (
	"slices"
	"strings"
	"time"

	"rebatedesk/evidence"
)

// Members of packs, by their paths. Those of tables lack their ending.
const (
	ReadmeFile      = "README.txt"
	ClosingJSONFile = "closing.json"
	ClosingTextFile = "closing.txt"
	RecordsFile     = "records"
	BillsFile       = "bills"
	PaymentsFile    = "payments"
	ChangesFile     = "changes"
	RatesFile       = "rates"
	TermsFile       = "terms.csv"
	CoverageFile    = "coverage.csv"
	AnswersFile     = "answers.csv"
	AccountFile     = "account"
	AccountPDFFile  = "account.pdf"
	LetterTextFile  = "letter.txt"
	LetterPDFFile   = "letter.pdf"
)

// purposes says what each member is, in the order in which packs have them.
var purposes = []struct{ path, words string }{
	{ReadmeFile, "This text."},
	{ClosingTextFile, "The closing of the month: who closed it and when, why it was complete, sums, coverage, open payments and findings."},
	{ClosingJSONFile, "The same for programs; amounts are texts, and exact."},
	{RecordsFile, "Every commission record, with the trading fee, the rate and the commission as the exchange's interface gave them, and the instant at which we first saw it."},
	{PaymentsFile, "Each payout period: what was earned in it by the records, what was paid by the bills, and the difference."},
	{AccountFile, "The statement of account: what fell due and what was paid, in order of time, with the balance after each."},
	{AccountPDFFile, "The same statement, ready to be read."},
	{BillsFile, "The bills of the wallets that belong to these payments. Other movements of the wallets are not in this pack."},
	{ChangesFile, "What became known of these records after the end of the days: new, late, changed, removed or set to zero, with the instant at which we noticed it."},
	{RatesFile, "The rates that were paid, next to those that should have been paid: agreed ones, or those before a change that nobody agreed to."},
	{TermsFile, "The agreed rates that applied to these days."},
	{CoverageFile, "How completely the exchange's interface was read."},
	{AnswersFile, "The fingerprints of the answers of the exchange's interface that the records were read from: SHA-256 over the bodies, with the times of both clocks."},
	{LetterTextFile, "A letter to the exchange's support, with the figures filled in."},
	{LetterPDFFile, "The same letter, ready to be sent."},
	{"public-key.pem", "The key with which the signature is checked."},
	{"manifest.json", "All other files with their sizes and SHA-256."},
	{"manifest.sig", "The Ed25519 signature of manifest.json."},
}

// Readme is the content of README.txt.
type Readme struct {
	About       string // "the commissions of October 2026"
	Selection   string // what the pack is narrowed to, a sentence; empty: nothing
	Zone        *time.Location
	AsOf        time.Time
	Files       []string // paths of the members that follow, those of tables without their ending
	Incomplete  string   // what is not collected, a sentence; empty: all is
	Fingerprint evidence.Fingerprint
}

// Text returns the README.
func (r Readme) Text() string {
	p := &paper{}
	p.heading("Evidence pack: " + r.About)
	p.paragraph("This file proves what was known about the " + r.About + " at one instant, " + instant(r.AsOf) + ". What became known later is not in it, so it is the same whenever it is made again.")
	if r.Selection != "" {
		p.paragraph(r.Selection)
	}
	if r.Incomplete != "" {
		p.paragraph(r.Incomplete)
	}
	p.subheading("Files")
	var list strings.Builder
	for _, of := range purposes {
		if !slices.Contains(r.Files, of.path) && of.path != ReadmeFile && !strings.HasPrefix(of.path, "manifest") && of.path != "public-key.pem" {
			continue
		}
		name := of.path
		if !strings.Contains(name, ".") {
			name += ".csv, " + of.path + ".xlsx"
		}
		list.WriteString(name + "\n" + indented(of.words))
	}
	p.blocks = append(p.blocks, block{kind: verbatim, text: list.String()})
	p.paragraph("Days are days of " + r.Zone.String() + ", and times are in UTC" + unless(r.Zone) + ". Above a million records there is no workbook of them. Amounts are exact, as the exchange gave them. An empty cell is a value that is not known. A difference is what was paid less what was due, so a loss is negative.")
	p.subheading("How to check this pack")
	p.paragraph("Whoever has the program Rebatedesk runs this command, which needs no database and no network:")
	p.blocks = append(p.blocks, block{kind: verbatim, text: "  webapp month check FILE.zip --key " + string(r.Fingerprint) + "\n"})
	p.paragraph("By hand, with OpenSSL 3 and the usual tools of Linux, in the folder into which the pack was unpacked (on macOS with shasum -a 256 instead of sha256sum):")
	p.blocks = append(p.blocks, block{kind: verbatim, text: ByHand})
	p.paragraph("The first command prints the fingerprint of the key, which must be the one that the sender shows:")
	p.blocks = append(p.blocks, block{kind: verbatim, text: "  " + string(r.Fingerprint) + "\n"})
	p.paragraph("The second one must print \"Signature Verified Successfully\", and the third one OK for every file. A file that manifest.json does not list does not belong to the pack.")
	return p.text()
}

func unless(zone *time.Location) string {
	if zone.String() == "UTC" {
		return ""
	}
	return "; a name with UTC means a day of UTC. Payments have days of UTC, in which the exchange counts"
}

// ByHand are the commands that check a pack without this program.
const ByHand = `  openssl pkey -pubin -in public-key.pem -outform DER | openssl dgst -sha256
  openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in manifest.json -sigfile manifest.sig
  sed -n 's/.*"path": "\([^"]*\)".* "sha256": "\([0-9a-f]*\)".*/\2  \1/p' manifest.json | sha256sum -c
`

// indented breaks words into lines that begin with four blanks.
func indented(words string) string {
	return "    " + strings.Join(broken(words, lineWidth-4), "\n    ") + "\n"
}

// CommissionsOf names what a pack of these days is about.
func CommissionsOf(days string) string { return "commissions of " + days }
