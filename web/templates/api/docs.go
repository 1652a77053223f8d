// Package api draws the page about the interface for programs.
package api

import "strings"

// PagePath is the address of the page.
const PagePath = "/docs/api"

// DocsView is the page about the interface for programs.
type DocsView struct {
	Server            string // address of the server in examples
	Version           string // of the interface
	Requests, Seconds int    // how many requests a token may send within seconds
	MostRows          int    // of a part of a list
	Problems          []ProblemLine
	Events            []EventLine // of webhooks
	Sections          []Section
}

// EventLine is an event of webhooks.
type EventLine struct{ Name, Words string }

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
	Params          []ParamLine
	Columns         []ColumnLine
	Curl            string // empty: none
	Answer          string // an example of it as JSON; empty: none
}

// ParamLine is a parameter.
type ParamLine struct{ Name, Words, Form, Default string }

// ColumnLine is a column of a table.
type ColumnLine struct{ Name, Words, Unit string }

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
