package summaries

import (
	"strings"

	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// ChannelsPath is the address of the list of channels.
const ChannelsPath = "/channels"

// ChannelsView is the list of channels, and the form that adds one.
type ChannelsView struct {
	MailPage
	Channels []outbox.Channel
	New      ui.Form
	Failed   string // why a channel could not be changed or tested
	Secret   string // of a webhook, shown this once
	Of       string // name of that webhook
}

var kindWord = map[string]string{"webhook": "Webhook", "telegram": "Telegram", "slack": "Slack", "discord": "Discord", "email": "Group of addresses"}

// channelKind is a kind of channel as the form offers it. Of a kind with an address, Pattern says how it looks.
type channelKind struct{ Value, Name, Words, Pattern string }

var channelKinds = []channelKind{
	{"webhook", "Webhook", "to a program", "https://… of your program. Each message is signed by the rules of Standard Webhooks; the secret is shown once, after this form."},
	{"slack", "Slack", "or compatible", "https://hooks.slack.com/services/…, which Slack shows under Incoming Webhooks."},
	{"discord", "Discord", "or compatible", "https://discord.com/api/webhooks/…, which Discord shows in the settings of a text channel, under Integrations."},
	{"telegram", "Telegram", "to a chat", ""},
	{"email", "Mail", "to a group", ""},
}

// chosenKind is the kind of the form: the first, if none is chosen.
func chosenKind(f ui.Form) string {
	for _, k := range channelKinds {
		if k.Value == f.Values["kind"] {
			return k.Value
		}
	}
	return channelKinds[0].Value
}

// ofKind are the errors of an address that its form has in parts, at the field that has most of it.
func ofKind(f ui.Form, kind, field string) ui.Form {
	if chosenKind(f) == kind && f.Faults["address"] != "" {
		f.Faults = map[string]string{field: strings.TrimPrefix(f.Faults[field]+"\n"+f.Faults["address"], "\n")}
	}
	return f
}

// channelWords describes the state of a channel, with the class of its colour.
func channelWords(c outbox.Channel) (words, class string) {
	switch {
	case c.Fault != "":
		return "stopped", "text-error"
	case c.Paused.Known():
		return "paused", "text-muted"
	case c.Failing.Known():
		return "failing", "text-warning"
	}
	return "active", "text-success"
}

// afterColon returns an answer as it ends a sentence; nothing if there is none.
func afterColon(answer string) string {
	if answer == "" {
		return ""
	}
	return ": " + answer
}

func channelPath(c outbox.Channel, rest string) string {
	return ChannelsPath + "/" + number64(c.ID) + rest
}

// ChannelField is the name of the tick box of a channel in the form of a schedule or an alert.
func ChannelField(id int64) string { return "channel-" + number64(id) }
