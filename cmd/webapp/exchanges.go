package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
)

// exchangesCommand tells what the desk knows of each exchange, without settings.
type exchangesCommand struct {
	JSON bool `name:"json" help:"Print a list of JSON objects."`
}

func (c *exchangesCommand) Run(p *program) error {
	said := config.Inputs{Flags: p.sources.Flags, ConfigFile: p.sources.ConfigFile}
	if _, err := config.Load(said, config.NeedNothing); err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(p.stdout)
		out.SetIndent("", "  ")
		return out.Encode(known.Sheets())
	}
	return printTable(p, "EXCHANGE\tGRAIN\tDAYS\tREACH\tWINDOW\tPAGE\tPAID\tCONSOLE\tTRIED LIVE\tUNKNOWN", known.Sheets(), func(s *exchange.Sheet) string {
		reach := "all"
		if s.Reach != nil {
			reach = fmt.Sprint(*s.Reach, " days")
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%d days\t%d\t%s\t%s\t%s\t%s", s.Name, s.Grain, s.DayZone, reach, s.Window, s.PageSize, s.Paid,
			either(s.Console, "yes", "no"), either(s.TriedLive, "yes", "no"), cmp.Or(strings.Join(s.Unknown, ", "), "nothing"))
	})
}
