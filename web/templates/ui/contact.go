package ui

import "rebatedesk/people"

// contactLabels name the ways to a person, and say what pressing them does.
var contactLabels = map[people.PersonField]Pair{
	people.FieldPhone:    {Name: "Call", Value: "Call"},
	people.FieldTelegram: {Name: "Telegram", Value: "Write on Telegram to"},
	people.FieldEmail:    {Name: "Mail", Value: "Write a mail to"},
}

var contactIcons = map[people.PersonField]string{people.FieldPhone: "phone", people.FieldTelegram: "send", people.FieldEmail: "mail"}
