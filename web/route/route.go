// Package route has the value that describes an address of the server: who may open it, what it
// shows users who see some invitees only, what programs are told about it, and what answers it.
// The server registers these values, and derives from them every list of addresses.
package route

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/guide"
	"rebatedesk/web/templates/navigation"
)

// Needs that are no permission of a role.
const (
	Everybody access.Permission = "everybody"      // callers may be unknown
	Half      access.Permission = "half signed in" // a password was given; a second factor may be missing
	SignedIn  access.Permission = "signed in"      // whatever the role
	Holder    access.Permission = "holder"         // of a link that is a proof in itself; its form carries no other token
)

// Bound is how a route answers a caller who is bound to some invitees.
type Bound int

const (
	// Closed answers as a page that does not exist: what it shows or changes cannot be divided by
	// invitee. A route that states nothing is closed.
	Closed Bound = iota
	// Divided answers about the caller's own invitees. The handler asks [handler.Base.Reports].
	Divided
	// Open says nothing about any invitee.
	Open
)

// Route is an address with its requirements. Only a POST changes anything.
type Route struct {
	Method string // every GET also answers HEAD
	Path   string // as Fiber matches it
	Need   access.Permission
	Bound  Bound
	Tokens bool // programs may use an API token
	Upload bool // the form may have a file
	Fresh  bool // the caller must have proved their presence recently, by a code or the password
	File   bool // the answer takes a place of downloads, by itself, and not a turn of pages
	Viewed bool // a page with saved views

	Accepts query.AcceptedParams // of a page with figures
	Figures bool                 // it is a page with figures
	Entries []navigation.Item    // in the navigation and in the search

	foreign []string       // filters that its report refuses
	Told    *Operation     // what programs are told; nil: nothing
	Helps   guide.PageHelp // of a page; without a name: none
	Answers []fiber.Handler
}

// Page is a page or a file that browsers and programs read.
func Page(path string, need access.Permission, answers ...fiber.Handler) Route {
	return Route{Method: fiber.MethodGet, Path: path, Need: need, Tokens: true, Answers: answers}
}

// Private is a page that no API token opens.
func Private(path string, need access.Permission, answers ...fiber.Handler) Route {
	return Route{Method: fiber.MethodGet, Path: path, Need: need, Answers: answers}
}

// Post is a form.
func Post(path string, need access.Permission, answers ...fiber.Handler) Route {
	return Route{Method: fiber.MethodPost, Path: path, Need: need, Answers: answers}
}

// Proven is a form that requires recent proof, so that a stranger at an open browser cannot send it.
func Proven(path string, need access.Permission, answers ...fiber.Handler) Route {
	r := Post(path, need, answers...)
	r.Fresh = true
	return r
}

// Divided returns the route as one that answers bound callers about their own invitees.
func (r Route) Divided() Route {
	r.Bound = Divided
	return r
}

// Open returns the route as one that says nothing about any invitee.
func (r Route) Open() Route {
	r.Bound = Open
	return r
}

// Download returns the route as one whose answer takes a place of downloads.
func (r Route) Download() Route {
	r.File = true
	return r
}

// WithFile returns the route of a form that may have a file.
func (r Route) WithFile() Route {
	r.Upload = true
	return r
}

// Takes returns the route of a page of figures with the parameters that it accepts.
func (r Route) Takes(accepted query.AcceptedParams) Route {
	r.Accepts, r.Figures = accepted, true
	return r
}

// Listed returns the route of a page with its entry in the navigation, under the name that its help
// has. The words are further ones by which the search finds it.
func (r Route) Listed(at navigation.Place, icon, words string) Route {
	return r.entry(navigation.Item{Place: at, Path: r.Path, Label: r.Helps.Name, Icon: icon, Words: words})
}

// Found returns the route of a page that the navigation does not list and the search finds.
func (r Route) Found(icon, words string) Route { return r.Listed(navigation.Elsewhere, icon, words) }

// FoundAt is [Route.Found] of a part of the page, which users who see some invitees do not have.
func (r Route) FoundAt(path, label, icon, words string) Route {
	return r.entry(navigation.Item{Place: navigation.Elsewhere, Path: path, Label: label, Icon: icon, Words: words, Whole: true})
}

// AsLast returns a listed route as the one whose tab comes after the others.
func (r Route) AsLast() Route {
	r.Entries = slices.Clone(r.Entries)
	r.Entries[0].Last = true
	return r
}

// Called returns a listed route whose entry has another label than the name of its help, which reads on
// the page itself.
func (r Route) Called(label string) Route {
	r.Entries = slices.Clone(r.Entries)
	r.Entries[0].Label = label
	return r
}

// Begins returns the route with an action that the search finds. It leads to a path, and changes
// nothing by itself.
func (r Route) Begins(path, label, icon, words string) Route {
	return r.entry(navigation.Item{Place: navigation.Actions, Path: path, Label: label, Icon: icon, Words: words})
}

func (r Route) entry(item navigation.Item) Route {
	r.Entries = append(slices.Clone(r.Entries), item)
	return r
}

// Absent returns routes of a part of the program that is not set up: no list has them, and they answer
// as addresses that are not there.
func Absent(list []Route) []Route {
	for i := range list {
		list[i].Entries, list[i].Answers = nil, []fiber.Handler{func(*fiber.Ctx) error { return fiber.ErrNotFound }}
	}
	return list
}

// Listing returns the entries of the route, with who may see them and which parameters follow there.
func (r Route) Listing() []navigation.Item {
	list := slices.Clone(r.Entries)
	for i := range list {
		list[i].Whole = list[i].Whole || r.Bound == Closed
		if !slices.Contains([]access.Permission{Everybody, Half, SignedIn, Holder}, r.Need) {
			list[i].Need = r.Need
		}
		if r.Figures {
			list[i].Carries = r.Accepts.Carried()
			list[i].Narrows = slices.DeleteFunc(r.Accepts.Narrowed(), func(name string) bool { return slices.Contains(r.foreign, name) })
		}
	}
	return list
}

// WithViews returns the route of a page that can be saved as a view.
func (r Route) WithViews() Route {
	r.Viewed = true
	return r
}

// Describe returns the route with what programs are told about it.
func (r Route) Describe(o Operation) Route {
	o.Path, o.Need, r.Told = r.Path, r.Need, &o
	return r
}

// DescribeFile is [Route.Describe] of a file that is no report: its words, and the parameters that
// it takes. Texts are the names of further ones, which take text; those that end in ! are needed.
func (r Route) DescribeFile(words string, with query.AcceptedParams, texts ...string) Route {
	o := otherFile(r.Path, words, with)
	o.Params = append(o.Params, textParams(texts)...)
	return r.Describe(o)
}

// Moved returns a described route that redirects, without an instant or days, to the address that has them.
func (r Route) Moved() Route {
	o := *r.Told
	o.Moves = true
	return r.Describe(o)
}

// MayBeUnready returns a described route whose figures may not be known yet: it then answers 409.
func (r Route) MayBeUnready() Route {
	o := *r.Told
	o.Unready = true
	return r.Describe(o)
}

// ByToken returns the route of a form that programs may send with an API token.
func (r Route) ByToken() Route {
	r.Tokens = true
	return r
}

// Help returns the route with the help of its page: its name, the question that it answers, and the
// nouns of the glossary that it uses.
func (r Route) Help(name, answers string, terms ...string) Route {
	r.Helps = guide.PageHelp{Route: r.Path, Name: name, Answers: answers, Terms: terms, Admin: r.Need == access.MayAdminister}
	return r
}

// Try returns the route with the one thing to try first on its page, which is a hint on the first
// visit.
func (r Route) Try(words string) Route {
	r.Helps.Try = words
	return r
}

// Key says what a key does.
func Key(key, does string) guide.KeyHelp { return guide.KeyHelp{Key: key, Does: does} }

// Keys returns the route with the keys of its page.
func (r Route) Keys(keys ...guide.KeyHelp) Route {
	r.Helps.Keys = keys
	return r
}

// CSVAt returns the route of a page whose only file is a CSV file at a path.
func (r Route) CSVAt(path string) Route {
	r.Helps.Files, r.Helps.Console = path, true
	return r
}

// Report returns a page of figures with its files, at an address of their own. The files come first:
// the address of the page may end in a parameter.
func (r Route) Report(b *handler.Base, files string, kind *export.Kind, with query.AcceptedParams) []Route {
	r.Helps.Files = files
	if !r.Figures {
		r = r.Takes(with)
	}
	r.foreign = kind.Foreign
	return append(Files(b, files, kind, with, r.Bound), r)
}

// Files are the files of a report, at a path plus .csv, .xlsx and .json.
func Files(b *handler.Base, path string, kind *export.Kind, with query.AcceptedParams, bound Bound) (list []Route) {
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		need := access.MayExport
		switch {
		case kind.Wallet:
			need = access.MayReadBills
		case format == export.JSON:
			need = access.MayRead
		}
		r := Page(path+"."+string(format), need, b.Export(kind, format, with)).Download().Describe(ReportFile(path+"."+string(format), kind, format, with))
		r.Bound = bound
		list = append(list, r)
	}
	return list
}
