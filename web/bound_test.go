package web

import (
	"slices"
	"testing"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// Every route states how it treats callers who see some invitees only, and no line is left over.
// Routes that such a caller's role does not open are closed.
func TestRoutesStateTheirTreatmentOfBoundCallers(t *testing.T) {
	t.Parallel()
	stated := map[string]treatment{}
	for treatment, lines := range boundTreatments {
		for _, line := range lines {
			if _, twice := stated[line]; twice {
				t.Errorf("%s is stated twice", line)
			}
			stated[line] = treatment
		}
	}
	for _, r := range Matrix() {
		line := r.Method + " " + r.Path
		how, ok := stated[line]
		delete(stated, line)
		reach := r.Need == Everybody || r.Need == Half || r.Need == SignedIn || r.Need == Holder
		for _, role := range []access.Role{access.Viewer, access.Manager} {
			reach = reach || role.May(access.Permission(r.Need))
		}
		if reach && !ok {
			t.Errorf("%s does not state how it treats callers who see some invitees only: add it to boundTreatments", line)
		}
		if !reach && how != closedToBound {
			t.Errorf("%s is open to bound callers, whose role does not open it", line)
		}
		if how == dividedForBound && r.Method == fiber.MethodPost && !slices.Contains([]string{"/invitees/:uid/notes", "/invitees/:uid/notes/:id/delete", "/invitees/:uid/tags", "/invitees/:uid/tags/delete", "/invitees/:uid/person", "/worklist/:uid", "/worklist/:uid/undo/:id",
			"/annotations", "/annotations/:id", "/annotations/:id/remove", "/segments", "/segments/:id", "/segments/:id/freeze", "/segments/:id/thaw", "/segments/:id/remove"}, r.Path) {
			t.Errorf("%s changes something for a bound caller: a test must show that it is theirs", line)
		}
	}
	for line := range stated {
		t.Errorf("%s is stated and is no route", line)
	}
}
