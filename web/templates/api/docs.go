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
	Sections          []Section
}

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
