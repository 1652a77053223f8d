package guide

import "net/url"

// FrameView is what the frame of a page shows of the guide.
type FrameView struct {
	Help  PageHelp // of the page; without a name there is only general help
	Hint  bool     // the first visit of the reader
	Stop  *AtStop  // the tour is on its way
	Setup *SetupStrip
	Query string // of the address, for links to the files of the page
	Files bool   // the reader may export
	Path  string // of the page

	KeysOff bool // single keys do nothing
	Demo    bool // there is a tour
}

// AtStop is the stop that a reader of the tour has reached.
type AtStop struct {
	TourStop
	Number int  // from 1
	Here   bool // the page is that of the stop
}

// Last reports whether no stop follows.
func (a AtStop) Last() bool { return a.Number == len(Tour) }

// SetupStrip says how far the first setup is.
type SetupStrip struct {
	Step  int    // the number of the first open step
	Next  string // its name
	Token string // of the form that puts it away
}

// SetupSteps is how many steps the first setup has. The first two are pages of the sign-in.
const SetupSteps = 7

// HelpAddress is the page with the help of the page that is shown, for readers without scripts.
func (v FrameView) HelpAddress() string {
	if v.Help.Name == "" {
		return "/help"
	}
	return "/help?" + url.Values{"page": {v.Path}}.Encode()
}

// File returns the address of a file of the page, with the same parameters.
func (v FrameView) File(ending string) string {
	at := v.Path
	if at == "/" {
		at = v.Help.Files
	}
	if v.Query == "" {
		return at + ending
	}
	return at + ending + "?" + v.Query
}
