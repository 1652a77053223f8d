package invitees

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

func TestStateOf(t *testing.T) {
	const today = affiliate.Day(20_000)
	ago := func(days int) affiliate.Day { return today - affiliate.Day(days) }
	for name, c := range map[string]struct {
		days tradingDays
		want State
	}{
		"nothing known":                    {tradingDays{}, StateNeverTraded},
		"registered today":                 {tradingDays{registered: today}, StateNew},
		"registered 30 days ago":           {tradingDays{registered: ago(30)}, StateNew},
		"registered 31 days ago":           {tradingDays{registered: ago(31)}, StateNeverTraded},
		"registered lately, trades":        {tradingDays{registered: ago(9), firstTrade: ago(9), lastTrade: ago(8), usualGap: figures.WholeDays(1)}, StateNew},
		"traded for the first time":        {tradingDays{registered: ago(300), firstTrade: ago(30), lastTrade: ago(30)}, StateNew},
		"first trade 31 days ago":          {tradingDays{registered: ago(300), firstTrade: ago(31), lastTrade: ago(1)}, StateActive},
		"silent for three gaps and a half": {tradingDays{registered: ago(300), lastTrade: ago(5), usualGap: 3}, StateSilent},
		"for less":                         {tradingDays{registered: ago(300), lastTrade: ago(4), usualGap: 3}, StateSlowing},
		"traded today":                     {tradingDays{registered: ago(300), lastTrade: today, usualGap: figures.WholeDays(1)}, StateActive},
		"silent for its usual gap":         {tradingDays{registered: ago(300), lastTrade: ago(7), usualGap: figures.WholeDays(7)}, StateActive},
		"silent for a day more":            {tradingDays{registered: ago(300), lastTrade: ago(8), usualGap: figures.WholeDays(7)}, StateSlowing},
		"silent for three gaps":            {tradingDays{registered: ago(300), lastTrade: ago(21), usualGap: figures.WholeDays(7)}, StateSlowing},
		"silent for more":                  {tradingDays{registered: ago(300), lastTrade: ago(22), usualGap: figures.WholeDays(7)}, StateSilent},
		"silent for a month, a long gap":   {tradingDays{registered: ago(300), lastTrade: ago(30), usualGap: figures.WholeDays(60)}, StateActive},
		"for more than that":               {tradingDays{registered: ago(300), lastTrade: ago(31), usualGap: figures.WholeDays(60)}, StateSilent},
		"no rhythm, a month":               {tradingDays{registered: ago(300), lastTrade: ago(30)}, StateActive},
		"no rhythm, more than a month":     {tradingDays{registered: ago(300), lastTrade: ago(31)}, StateSilent},
		"unknown registration, no trade":   {tradingDays{firstTrade: 0}, StateNeverTraded},
		"known from commission, trading":   {tradingDays{lastTrade: ago(2), usualGap: figures.WholeDays(2)}, StateActive},
		"a trade later than today":         {tradingDays{lastTrade: today + 1, usualGap: figures.WholeDays(2)}, StateActive},
		"daily trader, silent for 4 days":  {tradingDays{lastTrade: ago(4), usualGap: figures.WholeDays(1)}, StateSilent},
	} {
		if got := stateOf(c.days, today); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestUsualGap(t *testing.T) {
	for name, c := range map[string]struct {
		days []affiliate.Day
		want string
	}{
		"none":                    {nil, ""},
		"two gaps are no rhythm":  {[]affiliate.Day{1, 2, 3}, ""},
		"three gaps":              {[]affiliate.Day{1, 2, 3, 10}, "1"},
		"the middle one":          {[]affiliate.Day{1, 11, 14, 15, 35, 36}, "3"},
		"the mean of two":         {[]affiliate.Day{1, 2, 4, 9, 19}, "3.5"},
		"one holiday counts once": {[]affiliate.Day{1, 2, 3, 4, 5, 60}, "1"},
	} {
		if got := usualGap(c.days).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
