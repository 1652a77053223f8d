package channel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/safehttp"
)

// mostAfter limits how long a receiver may ask for a pause.
const mostAfter = 5 * time.Hour

// mostSaid is how many characters of an answer are kept.
const mostSaid = 200

// Judged is an answer with its meaning.
type Judged struct {
	dispatch.Tried
	Moved string // number of the chat that took the place of this one; empty: none did
}

// said is the body of answers of Telegram and Discord.
type said struct {
	OK          *bool  `json:"ok"`          // of Telegram, in each answer
	Description string `json:"description"` // of Telegram
	Message     string `json:"message"`     // of Discord
	Parameters  struct {
		RetryAfter json.Number `json:"retry_after"`
		MigrateTo  json.Number `json:"migrate_to_chat_id"` // the chat became a supergroup, with another number
	} `json:"parameters"`
	RetryAfter json.Number `json:"retry_after"` // seconds, perhaps with a fraction
}

// slackWords are the whole answers by which Slack refuses a message. A user needs them to mend the
// channel.
var slackWords = []string{"action_prohibited", "channel_is_archived", "channel_not_found", "invalid_payload", "invalid_token", "no_active_hooks",
	"no_service", "no_service_id", "no_team", "no_text", "posting_to_general_channel_denied", "rate_limited", "team_disabled", "token_revoked", "user_not_found"}

// reason returns what an answer says of itself, as far as it is the message of a known service. No
// other part of a body is kept, so that nobody reads the answers of other programs through a channel.
func (t Receiver) reason(r safehttp.Reply, body said) string {
	switch t.medium {
	case Telegram:
		if body.OK != nil {
			return body.Description
		}
	case Discord:
		return body.Message
	case Slack:
		if word := strings.TrimSpace(string(r.Body[:min(len(r.Body), mostSaid)])); slices.Contains(slackWords, word) {
			return word
		}
	}
	return ""
}

// chatNumber is the number of a chat of Telegram.
var chatNumber = regexp.MustCompile(`^-?[1-9][0-9]{0,18}$`)

// Judge says what an answer means.
func (t Receiver) Judge(r safehttp.Reply, now time.Time) Judged {
	var body said
	if t.medium == Telegram || t.medium == Discord {
		_ = json.Unmarshal(r.Body, &body) // whatever else it is, the status decides
	}
	j := Judged{Tried: dispatch.Tried{Verdict: t.verdict(r.Status, body), Answer: strings.TrimSpace(fmt.Sprint(r.Status) + " " + http.StatusText(r.Status))}}
	text := t.reason(r, body)
	if text = mailer.Cut(affiliate.OneLine(strings.ToValidUTF8(t.hide(text), "\uFFFD")), mostSaid); text != "" && j.Verdict != dispatch.Accepted {
		j.Answer += ": " + text
	}
	if to := body.Parameters.MigrateTo.String(); t.medium == Telegram && j.Verdict != dispatch.Accepted && chatNumber.MatchString(to) {
		j.Moved = to
		j.Answer += " – the chat is now the supergroup " + to + ": give its address with chat_id=" + to
	}
	if r.Status/100 == 3 {
		j.Answer += " – it redirects, and redirects are not followed: give the address to which it leads"
	}
	if j.Verdict == dispatch.Later {
		asked := max(safehttp.Seconds(cmp.Or(body.Parameters.RetryAfter, body.RetryAfter).String()), safehttp.PauseAsked(r.Header, now))
		if j.After = min(asked, mostAfter); asked > mostAfter {
			j.Answer += fmt.Sprintf(" – it asks for a pause of %s, and is tried again after %s", asked.Round(time.Second), mostAfter)
		}
	}
	return j
}

func (t Receiver) verdict(status int, body said) dispatch.Verdict {
	switch {
	case status/100 == 2 && (t.medium != Telegram || body.OK == nil || *body.OK):
		return dispatch.Accepted
	case status == http.StatusGone:
		return dispatch.Closed
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status/100 != 4:
		return dispatch.Later
	case t.medium == Webhook:
		return dispatch.Later // programs that are being deployed answer anything
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound:
		return dispatch.Closed
	case t.medium == Telegram && (strings.Contains(body.Description, "chat not found") || strings.Contains(body.Description, "upgraded to a supergroup")):
		return dispatch.Closed
	}
	return dispatch.Refused
}

// Failed returns the words for the log about a request without an answer.
func (t Receiver) Failed(err error) string {
	return mailer.Cut(affiliate.OneLine(t.hide(err.Error())), mostSaid)
}
