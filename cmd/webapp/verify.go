package main

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/upkeep"
)

// verifyCommand checks the consistency of the stored data. Without --rebuild it only reads;
// either way it may run alongside a server.
type verifyCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`

	Rebuild bool `help:"Make the roll-ups anew from the records first."`
}

// Run prints one line for each passed check, and returns an error that lists the faults of
// the others.
func (c *verifyCommand) Run(ctx context.Context, p *program) error {
	return p.withStore(ctx, config.NeedStore|config.NeedMasterKey, database.OpenExisting, func(o opened) error {
		if err := database.UseKeyAtHand(ctx, o.cfg, o.store); err != nil {
			return err
		}
		if c.Rebuild {
			if err := records.RebuildRollups(ctx, o.store); err != nil {
				return err
			}
		}
		return p.verify(ctx, o.store)
	})
}

func (p *program) verify(ctx context.Context, st *store.Store) error {
	var faults []error
	for finding, err := range upkeep.Verify(ctx, st) {
		if err != nil {
			return errors.Join(append(faults, err)...)
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
