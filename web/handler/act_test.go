package handler

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"testing"

	"rebatedesk/store"
	"rebatedesk/tabular"
)

// Of the parameters of a confirmation only those are taken that a form of ours gives.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	words := map[string]string{"removed": "It is removed."}
	for query, want := range map[string][2]string{
		"done=removed&undo=4503599627370497": {"It is removed.", "4503599627370497"}, "done=removed&undo=07": {"It is removed.", ""}, "done=x&undo=x": {}, "undo=1/../2": {}, "": {},
	} {
		values, err := url.ParseQuery(query + "&range=30d")
		if err != nil {
			t.Fatal(err)
		}
		done, undo := Confirmed(values, words)
		if done != want[0] || undo != want[1] || values.Encode() != "range=30d" {
			t.Errorf("%q: %q, %q, and left %q", query, done, undo, values.Encode())
		}
	}
}

// A form is refused for mistakes of its file, and a rule without a field gets the one that it is about.
func TestSentForms(t *testing.T) {
	t.Parallel()
	if (&Sent{Mistakes: tabular.Mistakes{{}}}).Wrong() != true || (&Sent{}).Wrong() {
		t.Error("a form is wrong if its file has mistakes")
	}
	rule := func(err error) store.RuleError {
		if rule, ok := errors.AsType[*store.RuleError](err); ok {
			return *rule
		}
		return store.RuleError{}
	}
	for _, one := range []struct{ given, want store.RuleError }{
		{store.RuleError{Problem: "It is taken."}, store.RuleError{Problem: "It is taken.", Field: "name"}},
		{store.RuleError{Problem: "It is short.", Field: "password"}, store.RuleError{Problem: "It is short.", Field: "password"}},
		{store.RuleError{Problem: "It is gone.", Missing: true}, store.RuleError{Problem: "It is gone.", Missing: true}},
		{store.RuleError{Problem: "It was changed.", Stale: true}, store.RuleError{Problem: "It was changed.", Stale: true}},
	} {
		if got := rule(At("name", fmt.Errorf("adding: %w", &one.given))); got != one.want {
			t.Errorf("%+v became %+v", one.given, got)
		}
	}
	if err := errors.New("the disk is full"); At("name", err) != err || At("name", nil) != nil {
		t.Error("what is no rule does not stay as it is")
	}
	if f := (Sent{Refused: fmt.Errorf("saving: %w", &store.RuleError{Stale: true, Problem: "It was changed."})}); !f.Overtaken() || (&Sent{}).Overtaken() {
		t.Error("a change of somebody else is not told apart")
	}
}

// Each broken rule is noted at its field, also of several together; what is gone and what is no rule is
// left to the caller.
func TestRefusedRulesAreNoted(t *testing.T) {
	t.Parallel()
	rule := func(field string) error { return &store.RuleError{Problem: "the " + field + " is wrong", Field: field} }
	form := FormOf()
	if err := refused(&form, fmt.Errorf("adding: %w", errors.Join(rule("day"), rule(""), rule("name")))); err != nil {
		t.Errorf("left: %v", err)
	}
	if want := map[string]string{"day": "the day is wrong", "name": "the name is wrong"}; !maps.Equal(form.Faults, want) || form.Alert != "The  is wrong." {
		t.Errorf("%+v", form)
	}
	for name, err := range map[string]error{
		"what is gone":        &store.RuleError{Problem: "It is gone.", Missing: true},
		"no rule":             errors.New("the disk is full"),
		"a rule and an error": errors.Join(rule("day"), errors.New("the disk is full")),
	} {
		form := FormOf()
		if left := refused(&form, fmt.Errorf("adding: %w", err)); left == nil {
			t.Errorf("%s is taken for a broken rule", name)
		}
	}
	if form := FormOf(); refused(&form, &store.RuleError{Problem: "There is no such account.", Field: "account", Missing: true}) != nil || form.Faults["account"] == "" {
		t.Error("what the form names and is not there is not noted at the field")
	}
}
