package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/cmd/webapp/internal/listen"
)

// doctorCommand checks everything that the program depends on and changes nothing.
type doctorCommand struct {
	config.ServerFlags `embed:"" group:"settings"`
	listen.Flags       `embed:""`

	JSON bool `name:"json" help:"Print the findings as one JSON object."`
}

// Run prints each finding as soon as it is made. It exits with 2 if the settings
// have faults, and with 1 if another check failed.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	d := doctor.New(p.sources, c.Insecure)
	var findings []doctor.Result
	for _, check := range d.Checks() {
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
	bad := slices.ContainsFunc(findings, func(f doctor.Result) bool { return f.Result == doctor.Failed })
	if c.JSON {
		if err := printFindings(p.stdout, findings, !bad); err != nil {
			return err
		}
	}
	switch {
	case d.Faulty():
		return usage("the settings cannot be used as they are")
	case bad:
		return errors.New("a check failed")
	}
	return nil
}

func printFindings(w io.Writer, findings []doctor.Result, ok bool) error {
	return json.NewEncoder(w).Encode(struct {
		OK     bool            `json:"ok"`
		Checks []doctor.Result `json:"checks"`
	}{ok, findings})
}
