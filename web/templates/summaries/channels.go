package summaries

import (
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

var channelKinds = ui.Pairs("Webhook (Standard Webhooks)", "webhook", "Telegram chat", "telegram", "Slack (or compatible)", "slack", "Discord (or compatible)", "discord", "Group of mail addresses", "email")

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
