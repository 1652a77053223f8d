package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// parts are the settings, read part by part: a mail server that is set wrongly
// does not keep the database from being looked at.
type parts struct {
	configs map[Need]Config // those without a fault
	faults  Faults          // of all parts, each once
}

// readParts reads every part that a check needs, and the rest for its faults.
func readParts(from sources) parts {
	read := parts{configs: map[Need]Config{}}
	for _, need := range []Need{NeedNothing, NeedStore, NeedWeb, NeedExchange | MayBeStored, NeedMail, NeedMasterKey | NeedStore, NeedAll | MayBeStored} {
		cfg, err := loadConfig(from, need)
		if err == nil {
			read.configs[need] = cfg
			continue
		}
		faults, _ := errors.AsType[Faults](err) // it is never another error
		for _, fault := range faults {
			if !slices.Contains(read.faults, fault) {
				read.faults = append(read.faults, fault)
			}
		}
	}
	return read
}

// config is a part of the settings, and whether it can be used.
func (p parts) config(need Need) (Config, bool) {
	cfg, ok := p.configs[need]
	return cfg, ok
}

// notUsable is why a check is left out whose settings have a fault.
const notUsable = "its settings have to be mended first"

// settings tells every fault of the settings.
func (d *doctor) settings(context.Context) []finding {
	if len(d.parts.faults) == 0 {
		return []finding{passed("settings", "all can be used")}
	}
	var found []finding
	for _, fault := range d.parts.faults {
		mend := fault.Mend
		fault.Mend = ""
		found = append(found, failed("settings", strings.TrimSuffix(fault.String(), "; "), mend))
	}
	return found
}

// zone says which day it is by the settings: a wrong zone shows in that.
func (d *doctor) zone(context.Context) []finding {
	cfg, ok := d.parts.config(NeedNothing)
	if !ok {
		return []finding{skipped("time zone", notUsable)}
	}
	now := cfg.clock().In(cfg.Timezone)
	return []finding{passed("time zone", "%s, where it is %s on %s", cfg.Timezone, now.Format("15:04"), affiliate.DayOf(now, cfg.Timezone))}
}
