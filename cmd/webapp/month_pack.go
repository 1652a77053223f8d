package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/evidence"
	"rebatedesk/evidence/keyring"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/secret"
)

type monthPack struct {
	monthFlags
	config.MasterKeyFlag `embed:"" group:"settings"`
	monthArgument

	Output string `short:"o" placeholder:"FILE" help:"File, or folder for a file with a telling name; - is stdout."`
}

// Run writes the evidence pack of a closed month, and prints where it is and by which key it was
// signed.
func (c *monthPack) Run(ctx context.Context, p *program) error {
	first, err := c.first()
	if err != nil {
		return err
	}
	if c.Output == "" {
		return usage("--output: name a file, a folder, or - for stdout")
	}
	check := func(cfg config.Config) error { return checkTarget("--output", c.Output, cfg.DB) }
	return p.withKey(ctx, needMonths, after(check, database.OpenExisting), func(o opened, master secret.MasterKey) error {
		pack, err := newReports(o.cfg, o.store).OpenMonthPack(ctx, first)
		if err != nil {
			return err
		}
		key, err := keyring.New(o.store, master.Box()).Key(ctx, operatorAudit())
		if err != nil {
			return err
		}
		pack.SignBy(key)
		return c.write(ctx, p, pack, key)
	})
}

// write writes to stdout or to a file, which is written completely or not at all.
func (c *monthPack) write(ctx context.Context, p *program, pack *reports.EvidencePack, key evidence.SigningKey) error {
	sum := newChecksum()
	write := func(w io.Writer) error {
		_, err := pack.Write(ctx, io.MultiWriter(w, sum), "")
		return err
	}
	if c.Output == "-" {
		return write(p.stdout)
	}
	if err := writeTo(c.Output, pack.FileName(""), write); err != nil {
		return err
	}
	place := c.Output
	if isFolder(place) {
		place = filepath.Join(place, pack.FileName(""))
	}
	_, err := fmt.Fprintf(p.stdout, "pack: %s\nbytes: %d\nsha256: %x\nkey: %s\n", printable(place), sum.bytes, sum.Sum(nil), key.Public().Fingerprint())
	return err
}

type monthCheck struct {
	File string `arg:"" placeholder:"FILE" help:"The evidence pack."`
	Key  string `placeholder:"FINGERPRINT" help:"Fingerprint of the key that must have signed it, as its sender shows it on the page of months."`
}

// Run checks a pack, without a database and without settings, and prints what is in it. If it is
// not as it was signed, each fault is printed, and the status is that of a failure. Only settings
// on the command line are checked: a pack can be checked whatever is wrong with the others.
func (c *monthCheck) Run(p *program) (err error) {
	said := config.Inputs{Flags: p.sources.Flags, ConfigFile: p.sources.ConfigFile}
	if _, err := config.Load(said, config.NeedNothing); err != nil {
		return err
	}
	var demanded evidence.Fingerprint
	if c.Key != "" {
		if demanded, err = evidence.ParseFingerprint(c.Key); err != nil {
			return usage("--key=%q: %w", c.Key, err)
		}
	}
	f, err := os.Open(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return usage("<file>: there is no file %s", printable(c.File))
	}
	if err != nil {
		return files.PlainError(c.File, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usage("<file>: %s is not a file", printable(c.File))
	}
	found, err := evidence.Check(f, info.Size(), demanded)
	if err != nil {
		return fmt.Errorf("reading %s: %w", printable(c.File), files.PlainError(c.File, err))
	}
	if len(found.Faults) == 0 {
		return c.printSound(p, found)
	}
	for _, fault := range found.Faults {
		if _, err := fmt.Fprintf(p.stdout, "fault: %s: %s\n", fault.Kind, printable(fault.Text)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is not as it was signed: %s: %s", printable(c.File), phrase.Things(len(found.Faults), "fault"), printable(faultsWords(found.Faults)))
}

// mostFaults is how many faults an error names; all are printed before it.
const mostFaults = 20

// faultsWords names the kind of each fault and its member.
func faultsWords(faults []evidence.PackFault) string {
	var words []string
	for i, fault := range faults {
		if i == mostFaults {
			words = append(words, fmt.Sprintf("and %d more", len(faults)-i))
			break
		}
		if of := string(fault.Kind); fault.Path == "" {
			words = append(words, of)
		} else {
			words = append(words, of+" ("+fault.Path+")")
		}
	}
	return strings.Join(words, ", ")
}

func (c *monthCheck) printSound(p *program, found evidence.PackCheck) error {
	m := found.Manifest
	var bytes int64
	for _, member := range m.Members {
		bytes += member.Bytes
	}
	_, err := fmt.Fprintf(p.stdout, "sound: every byte is as it was signed\npack: %s %s\nas known: %s\nmembers: %d, %d bytes unpacked\nkey: %s\n",
		m.Kind, printable(m.Subject), m.AsOf.Format("2006-01-02T15:04:05.000Z07:00"), len(m.Members), bytes, m.Key.Fingerprint())
	if err == nil && c.Key == "" {
		_, err = fmt.Fprintln(p.stderr, "webapp: anybody can sign a pack with a key of their own: compare the key with the fingerprint that the sender shows on the page of months, or demand it with --key")
	}
	return err
}
