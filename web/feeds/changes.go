package feeds

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/phrase"
	"rebatedesk/syndication"
)

// mostEntries is how many days a feed has, the newest ones.
const mostEntries = 100

// Changes sends what became known of figures, an entry for each day.
func (s *Area) Changes(c *fiber.Ctx) error {
	restated, err := s.Reports(c).RestatedDays(c.UserContext())
	if err != nil {
		return fmt.Errorf("the feed of changes: %w", err)
	}
	at := s.place(c)
	list := syndication.EntryList{
		ID: "tag:" + at.host + ",2026:changes", Title: "Rebatedesk: changed figures", Author: "Rebatedesk", Page: at.page("/changes", nil),
		Detail: "Records of commission that changed after their days had been collected, by the day on which that was noticed (" + s.Zone.String() + ").",
	}
	var newest affiliate.Millis
	for _, day := range restated.Days[:min(len(restated.Days), mostEntries)] {
		newest = max(newest, day.Newest)
		list.Entries = append(list.Entries, at.entry(day, s))
	}
	if !newest.Known() { // nothing changed
		newest = restated.Since
	}
	list.Updated = newest.Time() // 1970 while nothing was collected, as a feed must have a time
	body, err := syndication.Atom(list)
	if err != nil {
		return err
	}
	return send(c, syndication.AtomType, body, body, newest)
}

func (p place) entry(day commissions.RestatedDay, s *Area) syndication.Item {
	var records int64
	var nets, lines []string
	for _, coin := range day.Coins {
		records += coin.Records
		name := affiliate.Visible(string(coin.Coin))
		net := phrase.Signed(coin.Up.Add(coin.Down)) + " " + name
		nets = append(nets, net)
		lines = append(lines, fmt.Sprintf("%s: %s, %s up and %s down, net %s; commission of %s", name, phrase.Things(coin.Records, "record"),
			phrase.Signed(coin.Up), phrase.Signed(coin.Down), net, phrase.DaysIn(coin.Days, s.Zone)))
	}
	var kinds []string
	for _, kind := range commissions.RestatementKinds() {
		if n := day.Kinds[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		}
	}
	id := day.Day.String()
	return syndication.Item{
		ID: "tag:" + p.host + ",2026:changes/" + id, Created: day.Day.Start(s.Zone), Updated: day.Newest.Time(),
		Title: phrase.Days(affiliate.Days{First: day.Day, Last: day.Day}) + ": " + phrase.Things(records, "record") + " changed, " + strings.Join(nets, ", "),
		Text:  strings.Join(append(lines, "Kinds: "+strings.Join(kinds, ", ")+"."), "\n"),
		Page:  p.page("/changes", url.Values{"since": {id}, "until": {id}}),
	}
}
