// Package search has the page of the search from everywhere.
package search

import (
	"net/url"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/search"
	"rebatedesk/store/identity"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// ViewsFor returns the saved views whose name is close to a text.
func ViewsFor(pages *navigation.Map, list []identity.View, text string) (links []ui.FoundLink) {
	for _, v := range list {
		if search.Likeness(text, v.Name) != search.NoMatch && len(links) < search.MostFound {
			links = append(links, ui.FoundLink{Href: ui.ViewAddress(v), Label: v.Name, Hint: ui.PageName(pages, v.Path), Icon: "star"})
		}
	}
	return links
}

// PeopleFound returns links to the invitees that were found.
func PeopleFound(found search.Found) (links []ui.FoundLink) {
	for _, one := range found.Invitees {
		link := ui.FoundLink{Href: "/invitees/" + url.PathEscape(string(one.UID)), Label: string(one.UID), Icon: "person"}
		if found.Accounts > 1 {
			link.Href += "?" + url.Values{"account": {string(one.Account)}}.Encode()
		}
		if one.Name != "" {
			link.Label += " · " + one.Name
		}
		var hints []string
		for _, hint := range []string{one.Code, lifetimeWords(one)} {
			if hint != "" {
				hints = append(hints, hint)
			}
		}
		link.Hint = strings.Join(hints, " · ")
		links = append(links, link)
	}
	return links
}

// lifetimeWords returns the largest part of an invitee's commission of all time.
func lifetimeWords(one search.FoundInvitee) string {
	if len(one.Ever) == 0 {
		return ""
	}
	return affiliate.Amount{Value: one.Ever[0].Commission, Coin: one.Ever[0].Coin}.String() + " in all"
}

// NamesFound returns links to the codes and pairs that were found.
func NamesFound(found search.Found) (links []ui.FoundLink) {
	for _, code := range found.Codes {
		links = append(links, ui.FoundLink{Href: "/invitees?" + url.Values{"code": {code}}.Encode(), Label: code, Hint: "invitees of this code", Icon: "ticket"})
	}
	for _, symbol := range found.Symbols {
		links = append(links, ui.FoundLink{Href: "/commissions?" + url.Values{"symbol": {symbol}}.Encode(), Label: affiliate.MarketPair(symbol), Hint: "commissions of " + symbol, Icon: "list"})
	}
	return links
}

// ListsFor returns the lists that can be searched for a text.
func ListsFor(text string) []ui.FoundLink {
	asked := "?" + url.Values{"q": {text}}.Encode()
	return []ui.FoundLink{
		{Href: "/invitees" + asked, Label: "Invitees", Hint: "UID, name or code contains " + text, Icon: "people"},
		{Href: "/commissions" + asked, Label: "Commissions", Hint: "UID, pair or code contains " + text, Icon: "list"},
	}
}
