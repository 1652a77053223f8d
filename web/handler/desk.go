package handler

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/identity"
	"rebatedesk/store/people"
)

// Desk is what people write themselves: saved views, notes and tags. An owner
// or author is a user's name; empty is everybody. What breaks a rule is a
// *store.RuleError.
type Desk interface {
	Views(ctx context.Context, owner string) ([]identity.View, error)
	SaveView(ctx context.Context, v identity.View) error
	RenameView(ctx context.Context, owner string, id int64, seen affiliate.Millis, name string) error
	SetDefaultView(ctx context.Context, owner string, id int64, seen affiliate.Millis, on bool) error
	DeleteView(ctx context.Context, owner string, id int64, seen affiliate.Millis) error

	InviteeNotes(ctx context.Context, account affiliate.Account, uid affiliate.UID) (reports.InviteeNotes, error)
	AddNote(ctx context.Context, n people.Note) error
	DeleteNote(ctx context.Context, account affiliate.Account, uid affiliate.UID, id int64) error
	AddTag(ctx context.Context, account affiliate.Account, uid affiliate.UID, tag string) error
	RemoveTag(ctx context.Context, account affiliate.Account, uid affiliate.UID, tag string) error
}
