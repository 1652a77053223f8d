package guide

import "testing"

var someBook = Book{{Route: "/", Name: "Home"}, {Route: "/invitees"}, {Route: "/invitees/:uid"}, {Route: "/settings/users/:id"}}

// Whatever address is asked about, there is help of a page at or above it, or none.
func FuzzBook(f *testing.F) {
	for _, seed := range []string{"", "/", "x", "//", "/invitees/1/2/3/4", "/invitees/", "?", "x/y", "/settings/users/7", "\x00", "http://a/b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		help, ok := someBook.At(path)
		if ok != (help.Route != "") || ok && path[0] != '/' {
			t.Errorf("%q: help of %q, found %v", path, help.Route, ok)
		}
	})
}
