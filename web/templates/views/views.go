// Package views draws the list of saved views.
package views

import (
	"strconv"

	"rebatedesk/store/identity"
	"rebatedesk/web/templates/ui"
)

// ViewFields are what can be changed of a view, by [ViewLabels].
func ViewFields(v identity.View) map[string]string {
	return map[string]string{"version": ui.VersionText(v.Updated), "name": v.Name, "default": DefaultWords(v.Default), "view": "called “" + v.Name + "”"}
}

// ViewLabels are what can be changed of a view.
var ViewLabels = ui.Pairs("Name", "name", "Default", "default", "View", "view")

// DefaultWords say whether a view is the one that its page opens with.
func DefaultWords(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// typedName is what stands in the field of the name.
func typedName(v identity.View, f ui.Form) string {
	if name, typed := f.Values["name"]; typed {
		return name
	}
	return v.Name
}

// forWhom reminds that a view without an owner is everybody's.
func forWhom(v identity.View) string {
	if v.Owner == "" {
		return " for everybody"
	}
	return ""
}

// viewAction is where a form about a view is sent.
func viewAction(v identity.View, action string) string {
	return "/views/" + strconv.FormatInt(v.ID, 10) + "/" + action
}
