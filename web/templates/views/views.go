// Package views draws the list of saved views.
package views

import (
	"strconv"

	"rebatedesk/store/identity"
	"rebatedesk/web/templates/ui"
)

// ViewFields returns what can be changed of a view, by [ViewLabels].
func ViewFields(v identity.View) map[string]string {
	return map[string]string{"version": ui.VersionText(v.Updated), "name": v.Name, "default": DefaultWords(v.Default), "view": "called “" + v.Name + "”"}
}

// ViewLabels name what can be changed of a view.
var ViewLabels = ui.Pairs("Name", "name", "Default", "default", "View", "view")

// DefaultWords says whether a view is the default of its page.
func DefaultWords(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// typedName returns the content of the name field.
func typedName(v identity.View, f ui.Form) string {
	if name, typed := f.Values["name"]; typed {
		return name
	}
	return v.Name
}

// forWhom notes that a view without an owner is visible to everybody.
func forWhom(v identity.View) string {
	if v.Owner == "" {
		return " for everybody"
	}
	return ""
}

// viewAction returns the address of a form about a view.
func viewAction(v identity.View, action string) string {
	return "/views/" + strconv.FormatInt(v.ID, 10) + "/" + action
}
