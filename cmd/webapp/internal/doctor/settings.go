package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
)

// parts are the settings, read part by part: a faulty mail server does not prevent
// a check of the database.
type parts struct {
	configs map[config.Requirement]config.Config // those without a fault
	faults  config.SettingFaults                 // of all parts, each once
}

// readParts reads every part that a check needs, and then all parts for their
// faults.
func readParts(from config.Inputs) parts {
	read := parts{configs: map[config.Requirement]config.Config{}}
	for _, need := range []config.Requirement{config.NeedNothing, config.NeedStore, config.NeedWeb, config.NeedExchange | config.MayBeStored, config.NeedMail, config.NeedReports, config.NeedMasterKey | config.NeedStore, config.NeedDelivery | config.NeedStore, config.NeedAll | config.MayBeStored} {
		cfg, err := config.Load(from, need)
		if err == nil {
			read.configs[need] = cfg
			continue
		}
		faults, _ := errors.AsType[config.SettingFaults](err) // Load returns no other error
		for _, fault := range faults {
			if !slices.Contains(read.faults, fault) {
				read.faults = append(read.faults, fault)
			}
		}
	}
	return read
}

// config returns a part of the settings and whether it is usable.
func (p parts) config(need config.Requirement) (config.Config, bool) {
	cfg, ok := p.configs[need]
	return cfg, ok
}

// notUsable is the reason for skipping a check whose settings have a fault.
const notUsable = "correct its settings first"

// settings reports every fault of the settings.
func (d *Doctor) settings(context.Context) []Result {
	if len(d.parts.faults) == 0 {
		return []Result{passed("settings", "all can be used")}
	}
	var found []Result
	for _, fault := range d.parts.faults {
		hint := fault.Hint
		fault.Hint = ""
		found = append(found, failed("settings", strings.TrimSuffix(fault.String(), "; "), hint))
	}
	return found
}

// zone reports the local time and day, which reveal a wrong time zone.
func (d *Doctor) zone(context.Context) []Result {
	cfg, ok := d.parts.config(config.NeedNothing)
	if !ok {
		return []Result{skipped("time zone", notUsable)}
	}
	now := cfg.Clock().In(cfg.Timezone)
	return []Result{passed("time zone", "%s, where it is %s on %s", cfg.Timezone, now.Format("15:04"), affiliate.DayOf(now, cfg.Timezone))}
}

// inactivity reports after how many days without a trade a tie ends.
func (d *Doctor) inactivity(context.Context) []Result {
	cfg, ok := d.parts.config(config.NeedReports)
	switch {
	case !ok:
		return []Result{skipped("inactivity limit", notUsable)}
	case cfg.InactivityLimit == 0:
		return []Result{passed("inactivity limit", "none is set: no tie to an invitee ends by it")}
	}
	return []Result{passed("inactivity limit", "the exchange ends a tie after %d days without a trade", cfg.InactivityLimit)}
}
