// Package api draws the page about the interface for programs.
package api

import (
	"strconv"
	"strings"

	"rebatedesk/reports/export"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
)

// PagePath is the address of the page.
const PagePath = "/docs/api"

// DocsView is the page about the interface for programs.
type DocsView struct {
	Server            string // address of the server in examples
	Version           string // of the interface
	Requests, Seconds int    // how many requests a token may send within seconds
	MostRows          int    // of a part of a list
	Problems          []ProblemLine
	Events            []findings.Event // of webhooks
	Sections          []Section
}

// VerifyWebhook is the example by which a receiver verifies a signature.
const VerifyWebhook = `import base64, hashlib, hmac, time

def verified(secret, headers, body):
    """body: the bytes as they were received, before any JSON is parsed"""
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False  # an old request that somebody repeats
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = (headers["webhook-id"] + "." + headers["webhook-timestamp"] + ".").encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, wanted) for one in headers["webhook-signature"].split(" "))`

// ProblemLine is a kind of problem.
type ProblemLine struct {
	Name   string
	Status int
	Words  string
}

// Section has the addresses about one noun.
type Section struct {
	ID, Title, Words string
	Lines            []Line
}

// Line is an address, with the formats of its file.
type Line struct {
	Anchor          string
	Method, Address string
	Words           string // empty: those of the section suffice
	Formats         []string
	Scopes          []string
	InPath          []string // names of parameters
	Params          []query.ParamInfo
	Columns         []export.ColumnInfo
	Curl            string // empty: none
	Answer          string // an example of it as JSON; empty: none
}

// form says which values a parameter takes.
func form(info query.ParamInfo) string {
	switch info.Type {
	case query.DayParam:
		return "day, as 2026-09-07"
	case query.MonthParam:
		return "month, as 2026-09"
	case query.InstantParam:
		return "time, as 2026-09-07T12:00:00Z, or a day"
	case query.NumberParam:
		return "whole number from 1 to " + strconv.Itoa(info.Most)
	case query.ChoiceParam:
		return strings.Join(info.Choices, ", ")
	case query.ChoicesParam:
		return "some of " + strings.Join(info.Choices, ", ") + ", separated by commas"
	case query.ListParam:
		return "text, several separated by commas"
	}
	return "text"
}

// unit says in which form a column's values are.
func unit(c export.ColumnInfo) string {
	switch c.Type {
	case "time":
		return "time, RFC 3339, UTC, milliseconds"
	case "day":
		return "day, as 2026-09-07"
	case "decimal":
		return "exact decimal, as text"
	case "integer":
		return "whole number"
	case "boolean":
		return "true or false"
	}
	return "text"
}

// endings lists the endings of addresses: .csv, .xlsx, .json.
func endings(addresses []string) string {
	list := make([]string, len(addresses))
	for i, address := range addresses {
		list[i] = address[strings.LastIndex(address, "."):]
	}
	return strings.Join(list, ", ")
}

const webhookExample = `POST /your/address
content-type: application/json
webhook-id: msg_…
webhook-timestamp: 1788768000
webhook-signature: v1,…

{"type":"payment.missing","timestamp":"2026-09-07T06:00:00Z","data":{"text":"…","link":"…","findings":[{"key":"…", …}]}}`
