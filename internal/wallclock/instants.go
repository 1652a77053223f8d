package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// instant is a wall-clock time on a machine in a zone.
type instant struct {
	time time.Time
	zone string // TZ
}

func (i instant) String() string {
	return i.time.UTC().Format("2006-01-02T15:04:05") + " " + i.zone
}

// environment returns the environment of a process at the instant. Tests begin a moment
// later.
func (i instant) environment() []string {
	var env []string
	for _, one := range os.Environ() {
		if !strings.HasPrefix(one, "TZ=") && !strings.HasPrefix(one, shiftVariable+"=") {
			env = append(env, one)
		}
	}
	return append(env, "TZ="+i.zone, shiftVariable+"="+strconv.FormatInt(int64(time.Until(i.time)/time.Second), 10))
}

// at parses instants in UTC, for a machine in the zone.
func at(zone string, texts ...string) []instant {
	list := make([]instant, len(texts))
	for i, text := range texts {
		when, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			panic(err) // the texts are written below
		}
		list[i] = instant{when, zone}
	}
	return list
}

// dependent lists the packages that are swept if none is named: they run programs as
// processes, or deal with days. The other packages give each test its clock.
var dependent = []string{"./access", "./cmd/...", "./exchange/...", "./mail/...", "./reports/...", "./web/metrics", "./web/templates/..."}

// leftOut matches the tests that need a browser, measure time or repeat themselves.
const leftOut = "Browser|Soak|MemoryUnderAbuse"

const (
	berlin  = "Europe/Berlin"
	newYork = "America/New_York"
)

// edges returns the instants at the edges of calendars and zones.
func edges() []instant {
	var list []instant
	add := func(more []instant) { list = append(list, more...) }
	// The end of a year, of a month, and of Februaries of 28 and of 29 days.
	add(at("UTC", "2027-12-31 00:00:05", "2027-12-31 12:30:00", "2027-12-31 23:59:45", "2028-01-01 00:00:05", "2028-01-01 00:55:00"))
	add(at("UTC", "2027-02-28 00:00:05", "2027-02-28 23:55:00", "2027-03-01 00:00:05", "2027-03-01 00:55:00"))
	add(at("UTC", "2028-02-28 00:00:05", "2028-02-28 23:55:00", "2028-02-29 00:00:05", "2028-02-29 12:00:05", "2028-02-29 23:59:45", "2028-03-01 00:00:05"))
	// Clock changes in Europe: the midnight before, just before, just after, the midnight
	// after.
	add(at(berlin, "2027-03-27 23:00:05", "2027-03-28 00:59:45", "2027-03-28 01:00:05", "2027-03-28 22:00:05"))
	add(at(berlin, "2027-10-30 22:00:05", "2027-10-31 00:30:00", "2027-10-31 00:59:45", "2027-10-31 01:00:05", "2027-10-31 01:30:00", "2027-10-31 23:00:05"))
	// Clock changes in the United States, at the same moments.
	add(at(newYork, "2027-03-14 05:00:05", "2027-03-14 06:59:45", "2027-03-14 07:00:05", "2027-03-15 04:00:05"))
	add(at(newYork, "2027-11-07 04:00:05", "2027-11-07 05:30:00", "2027-11-07 05:59:45", "2027-11-07 06:00:05", "2027-11-07 06:30:00", "2027-11-08 05:00:05"))
	return list
}

// instants returns every hour of a day twice, and all edges.
func instants() []instant {
	var list []instant
	for hour := range 24 {
		list = append(list, at("UTC", fmt.Sprintf("2027-06-16 %02d:00:05", hour), fmt.Sprintf("2027-06-16 %02d:55:00", hour))...)
	}
	return append(list, edges()...)
}
