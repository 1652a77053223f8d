package channel

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"rebatedesk/mail/mailer"
	"rebatedesk/safehttp"
)

// Medium is the kind of a channel.
type Medium string

// The media, in the order in which they are offered.
const (
	Webhook  Medium = "webhook"
	Telegram Medium = "telegram"
	Slack    Medium = "slack"
	Discord  Medium = "discord"
	Email    Medium = "email"
)

// Media lists the media.
func Media() []Medium { return []Medium{Webhook, Telegram, Slack, Discord, Email} }

// mostGroup is how many addresses a group may have.
const mostGroup = 100

// Receiver is the address of a channel. Its text is a secret: whoever knows it can post.
type Receiver struct {
	medium Medium
	url    *url.URL
	group  []string // mail addresses
}

// ParseReceiver reads the address of a channel:
//
//	webhook, slack, discord   https://example.com/path
//	telegram                  https://api.telegram.org/bot<token>?chat_id=<chat>
//	email                     mailto:a@example.com,b@example.com
//
// A Telegram address may have &message_thread_id=<topic>. Plain http is for private
// addresses that are allowed. A mail server reaches the addresses of a group, not this program, so
// reach does not limit them. The error tells a user what is wrong and never repeats the address.
func ParseReceiver(m Medium, text string, reach safehttp.Reach) (Receiver, error) {
	text = strings.TrimSpace(text)
	if m == Email {
		group, err := parseGroup(text)
		return Receiver{medium: m, group: group}, err
	}
	u, err := reach.ParseURL(text)
	if err != nil {
		return Receiver{}, fmt.Errorf("the address cannot be used: %w", err)
	}
	if m == Telegram {
		err = checkTelegram(u)
	}
	return Receiver{medium: m, url: u}, err
}

// TelegramAddress returns the address of a chat for the token of a bot. topic may be empty.
func TelegramAddress(token, chat, topic string) string {
	query := url.Values{"chat_id": {chat}}
	if topic != "" {
		query.Set("message_thread_id", topic)
	}
	return (&url.URL{Scheme: "https", Host: "api.telegram.org", Path: "/bot" + token, RawQuery: query.Encode()}).String()
}

// GroupAddress returns the address of a group of mail addresses.
func GroupAddress(list []string) string { return "mailto:" + strings.Join(list, ",") }

func parseGroup(text string) (group []string, err error) {
	list, found := strings.CutPrefix(text, "mailto:")
	if !found {
		return nil, errors.New("the address of a group begins with mailto:, such as mailto:anna@example.com,ben@example.com")
	}
	for one := range strings.SplitSeq(list, ",") {
		address, err := mailer.ParseAddress(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		for _, other := range group {
			if strings.EqualFold(other, address) {
				return nil, fmt.Errorf("the address %s is given twice", address)
			}
		}
		group = append(group, address)
	}
	if len(group) > mostGroup {
		return nil, fmt.Errorf("a group has at most %d addresses", mostGroup)
	}
	return group, nil
}

func checkTelegram(u *url.URL) error {
	token, found := strings.CutPrefix(u.Path, "/bot")
	switch {
	case !found || token == "" || strings.Contains(token, "/"):
		return errors.New("the address of a Telegram chat is https://api.telegram.org/bot<token>?chat_id=<chat>, without a method after the token")
	case u.Query().Get("chat_id") == "":
		return errors.New("the address of a Telegram chat ends with ?chat_id=<chat>: the number of the chat, or @name of a channel")
	}
	return nil
}

// MovedTo returns the address of a Telegram chat with another number.
func (t Receiver) MovedTo(chat string) string {
	moved := *t.url
	query := moved.Query()
	query.Set("chat_id", chat)
	moved.RawQuery = query.Encode()
	return moved.String()
}

// Group lists the mail addresses of a group; it is empty for other media.
func (t Receiver) Group() []string { return t.group }

// Shown returns what lists may show of the address: its host and its last four characters, or how
// many addresses a group has.
func (t Receiver) Shown() string {
	if t.medium == Email {
		if len(t.group) == 1 {
			return "1 address"
		}
		return fmt.Sprintf("%d addresses", len(t.group))
	}
	tail := t.url.RequestURI()
	if t.medium == Telegram {
		tail = t.url.Query().Get("chat_id")
	}
	if len(tail) < 12 && t.medium != Telegram {
		return t.url.Host // too short to show a part of it
	}
	return t.url.Host + " …" + tail[max(0, len(tail)-4):]
}

// hide removes the secret parts of the address from a text that a receiver wrote.
func (t Receiver) hide(text string) string {
	secrets := []string{t.url.String(), t.url.Path, t.url.EscapedPath(), t.url.RawQuery}
	for part := range strings.SplitSeq(t.url.Path, "/") {
		secrets = append(secrets, part, strings.TrimPrefix(part, "bot"))
	}
	for _, one := range secrets {
		if len(one) >= 8 {
			text = strings.ReplaceAll(text, one, "…")
		}
	}
	return text
}
