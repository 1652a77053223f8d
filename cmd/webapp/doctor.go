package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// doctorCommand looks at everything that the program depends on and changes
// nothing of it.
type doctorCommand struct {
	storeFlags    `embed:"" group:"settings"`
	webFlags      `embed:"" group:"settings"`
	exchangeFlags `embed:"" group:"settings"`
	scheduleFlags `embed:"" group:"settings"`
	accountFlag   `embed:"" group:"settings"`
	mailFlags     `embed:"" group:"settings"`
	tradingFlags  `embed:"" group:"settings"`
	masterKeyFlag `embed:"" group:"settings"`
	listenFlags   `embed:""`

	JSON bool `name:"json" help:"Print the findings as one JSON object."`
}

// Run prints a line for each check as soon as it is made. It ends in status 2
// where the settings cannot be used and in 1 where another check failed.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	d := newDoctor(p.sources, c.Insecure)
	var findings []finding
	for _, check := range d.checks() {
		for _, f := range check(ctx) {
			findings = append(findings, f)
			if c.JSON {
				continue
			}
			if _, err := fmt.Fprintln(p.stdout, printable(f.String())); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	bad := slices.ContainsFunc(findings, func(f finding) bool { return f.Result == resultFailed })
	if c.JSON {
		if err := printFindings(p.stdout, findings, !bad); err != nil {
			return err
		}
	}
	switch {
	case d.faulty():
		return usage("the settings cannot be used as they are")
	case bad:
		return errors.New("something has to be mended")
	}
	return nil
}

func printFindings(w io.Writer, findings []finding, ok bool) error {
	return json.NewEncoder(w).Encode(struct {
		OK     bool      `json:"ok"`
		Checks []finding `json:"checks"`
	}{ok, findings})
}
