package mails_test

import (
	"strings"
	"testing"
)

// The form of a channel has the fields of each kind, and a fault stands beside the field that has it.
func TestChannelFormByKind(t *testing.T) {
	t.Parallel()
	_, mia := openChannelSite(t, false)
	page := mia.Get("/channels").Body
	for _, kind := range []string{"webhook", "slack", "discord", "telegram", "email"} {
		if !strings.Contains(page, `type="radio" name="kind" value="`+kind+`"`) {
			t.Errorf("the form does not offer %s", kind)
		}
	}
	beside := func(body, field string) string {
		_, after, _ := strings.Cut(body, `id="`+field+`-said"`)
		said, _, _ := strings.Cut(after, "</div>")
		return said
	}
	refused := mia.Post("/channels", "name", "Team", "kind", "telegram", "topic", "7")
	if refused.StatusCode != 400 {
		t.Fatalf("a chat without a bot: status %d", refused.StatusCode)
	}
	for field, want := range map[string]string{"channel-bot": "Give the token of the bot", "channel-chat": "Give the number of the chat"} {
		if said := beside(refused.Body, field); !strings.Contains(said, want) {
			t.Errorf("beside %s stands %q, want %q", field, said, want)
		}
	}
	const token = "123456:canary"
	if a := mia.Post("/channels", "name", "Team", "kind", "telegram", "bot", token+"/x", "chat", "@team"); a.StatusCode != 400 || !strings.Contains(beside(a.Body, "channel-bot"), "Telegram") || strings.Contains(a.Body, token) {
		t.Errorf("a wrong token: status %d", a.StatusCode)
	}
	if a := mia.Post("/channels", "name", "Team", "kind", "email", "recipients", "anna@example.com\nnobody"); a.StatusCode != 400 || !strings.Contains(beside(a.Body, "channel-recipients"), "nobody") {
		t.Errorf("a wrong address of a group: status %d, %q", a.StatusCode, beside(a.Body, "channel-recipients"))
	}
	if a := mia.Post("/channels", "name", "Team", "kind", "email", "recipients", "anna@example.com\nben@example.com"); a.StatusCode != 303 {
		t.Fatalf("a group: status %d", a.StatusCode)
	}
	if body := mia.Get("/channels").Body; !strings.Contains(body, "Group of addresses") || !strings.Contains(body, "2 addresses") {
		t.Error("the list does not show the group")
	}
}
