package snapshot

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/annotations"
)

// Annotations lists the annotations on days of the query that are about its accounts and invite
// codes, or about everything. Those about accounts and codes of others than the caller's are
// left out. The caller must not change the list.
func (q *Snapshot) Annotations(ctx context.Context) (list []annotations.Annotation, err error) {
	type asked struct {
		days affiliate.Days
		at   affiliate.Millis
	}
	all, err := Part(ctx, q, "annotations", asked{q.Days, q.AsOfMillis()}, func(ctx context.Context) ([]annotations.Annotation, error) {
		return annotations.List(ctx, q.Whole(), q.Days, q.AsOfMillis())
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	visible, err := q.VisibleNames(ctx)
	if err != nil {
		return nil, err
	}
	var codes []string
	if q.Code != "" {
		if codes, err = q.CodesThen(ctx); err != nil {
			return nil, err
		}
	}
	for _, a := range all {
		if visible.Shows(a) && q.concerns(a, codes) {
			list = append(list, a)
		}
	}
	return list, nil
}

// concerns reports whether the query is about the account and the code of an annotation. One
// about a code says nothing about a single invitee, unless the query names the code. codes are the
// stored ones.
func (q *Snapshot) concerns(a annotations.Annotation, codes []string) bool {
	if a.Account != "" && !slices.Contains(q.Accounts, a.Account) {
		return false
	}
	return a.Code == "" || q.Code == "" && q.UID == "" || q.Code != "" && affiliate.AsksFor(q.Code, affiliate.Spelling(codes, a.Code))
}

// VisibleNames are the accounts and invite codes of which a user may read.
type VisibleNames struct {
	everything bool
	accounts   []affiliate.Account
	codes      []string
}

// VisibleNames returns what the caller may read about.
func (q *Snapshot) VisibleNames(ctx context.Context) (VisibleNames, error) {
	if !q.Visible.Limited() {
		return VisibleNames{everything: true}, nil
	}
	codes, err := q.Codes(ctx, q.Visible)
	if err != nil {
		return VisibleNames{}, fmt.Errorf("the codes that may be read: %w", err)
	}
	return VisibleNames{accounts: q.Known, codes: codes}, nil
}

// Shows reports whether the user may read an annotation: one about everything, or about accounts
// and codes of theirs.
func (v VisibleNames) Shows(a annotations.Annotation) bool {
	return v.everything || (a.Account == "" || slices.Contains(v.accounts, a.Account)) && (a.Code == "" || slices.Contains(v.codes, a.Code))
}

// Writes reports whether the user may write an annotation: one about an account or a code of
// theirs, unless the user sees everything.
func (v VisibleNames) Writes(a annotations.Annotation) bool {
	return v.everything || v.Shows(a) && (a.Account != "" || a.Code != "")
}
