package site

import (
	"regexp"

	"rebatedesk/web"
	"rebatedesk/web/signin"
)

// Everything returns options with all optional parts of a server.
func Everything() web.Options {
	return web.Options{Console: &ConsoleExchange{}, Demo: true, DemoLogin: &signin.Login{User: "nobody", Password: LongWord}}
}

var keptForm = regexp.MustCompile(`name="kept" value="([^"]*)"`)

// KeptIn returns the form that a page keeps until its user has given the proof.
func KeptIn(page string) string {
	if found := keptForm.FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}
