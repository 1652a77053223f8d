package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/closings"
	"rebatedesk/store/records"
	"rebatedesk/store/upkeep"
)

// verifyCommand checks the consistency of the stored data. Without --rebuild it only reads;
// either way it may run alongside a server.
type verifyCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`
	config.BackupDirFlag `embed:"" group:"settings"`

	Rebuild  bool     `help:"Make the roll-ups anew from the records first."`
	Anchor   []string `placeholder:"ANCHOR" sep:"none" help:"An anchor of the audit log that was kept elsewhere, LINES:MAC as the log of the server has it, or a file with it; may be repeated. The file beside the database and the backups are compared in any case."`
	Restored *string  `placeholder:"WHY" help:"Record in the audit log first that an earlier state of the database was put back on purpose; needs the master key. webapp restore does so itself."`
}

// Run prints one line for each passed check, and returns an error that lists the faults of
// the others.
func (c *verifyCommand) Run(ctx context.Context, p *program) error {
	given, err := c.anchors()
	if err != nil {
		return err
	}
	if c.Restored != nil {
		if *c.Restored, err = closings.CheckReason(*c.Restored); err != nil {
			return usage("--restored: %w", err)
		}
	}
	return p.withStore(ctx, config.NeedStore|config.NeedMasterKey|config.NeedBackups, database.OpenExisting, func(o opened) error {
		if err := database.UseKeyAtHand(ctx, o.cfg, o.store); err != nil {
			return err
		}
		if c.Restored != nil {
			if err := p.noteRestored(ctx, o, *c.Restored); err != nil {
				return err
			}
		}
		// Before the state that they are compared with is opened.
		kept := database.Anchors(o.cfg)
		if c.Rebuild {
			if err := records.RebuildRollups(ctx, o.store); err != nil {
				return err
			}
		}
		return p.verify(ctx, o.store, append(kept, given...)...)
	})
}

// anchors reads the anchors of the command line.
func (c *verifyCommand) anchors() (list []audit.Anchor, err error) {
	for _, text := range c.Anchor {
		place := "--anchor"
		if !strings.Contains(text, ":") {
			content, err := files.ReadLimited(text, config.MaxSecretFile)
			if err != nil {
				return nil, usage("--anchor: %w; give LINES:MAC, or a file with it", err)
			}
			text, place = string(content), text
		}
		a, err := audit.ParseAnchor(text)
		if err != nil {
			return nil, usage("--anchor: %w", err)
		}
		a.Place = place
		list = append(list, a)
	}
	return list, nil
}

// noteRestored adds the line of the audit log from which on its earlier anchors do not hold.
func (p *program) noteRestored(ctx context.Context, o opened, why string) error {
	line := operatorAudit()
	line.Action, line.Detail = audit.ActionRestored, why
	if err := audit.Write(ctx, o.store, line); err != nil {
		return err
	}
	return p.keepAnchor(ctx, o)
}

func (p *program) verify(ctx context.Context, st *store.Store, anchors ...audit.Anchor) error {
	var faults []error
	for finding, err := range upkeep.Verify(ctx, st, anchors...) {
		if err != nil {
			return errors.Join(append(faults, err)...)
		}
		for _, warning := range finding.Warnings {
			if _, err := fmt.Fprintf(p.stdout, "warning: %s: %s\n", finding.Check, printable(warning)); err != nil {
				return err
			}
		}
		if !finding.Sound() {
			faults = append(faults, faultsOf(finding))
			continue
		}
		if _, err := fmt.Fprintf(p.stdout, "ok: %s: %s\n", finding.Check, printable(finding.Seen)); err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

// faultsOf returns the faults of a check, one per line, and the remedy.
func faultsOf(f store.VerifyResult) error {
	var lines []error
	for _, fault := range f.Faults {
		lines = append(lines, fmt.Errorf("%s: %s", f.Check, fault))
	}
	if f.More > 0 {
		lines = append(lines, fmt.Errorf("%s: and %d more faults", f.Check, f.More))
	}
	return errors.Join(append(lines, fmt.Errorf("%s: what to do: %s", f.Check, f.Remedy))...)
}
