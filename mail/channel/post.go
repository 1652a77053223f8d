package channel

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"rebatedesk/safehttp"
)

// Content is a message in the forms that receivers take.
type Content struct {
	ID      string // the same on every try
	Event   []byte // JSON, for webhooks
	Text    string // for chats
	Picture []byte // PNG, for chats; empty: none
}

// secretPrefix begins the signing secret of a webhook (Standard Webhooks).
const secretPrefix = "whsec_"

// NewSecret returns a signing secret for a webhook.
func NewSecret() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails: it ends the process instead
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// The limits of the media, in UTF-16 units as they count them.
const (
	mostTelegram = 4096
	mostCaption  = 1024
	mostSlack    = 4000
	mostDiscord  = 2000
)

// Post writes the request that hands a message over. secrets sign a webhook: the present one, and
// during an overlap the one before. The instant is that of the try.
func (t Receiver) Post(c Content, now time.Time, secrets ...string) (safehttp.Post, error) {
	p := safehttp.Post{URL: t.url.String(), Header: http.Header{"Content-Type": {"application/json"}, "User-Agent": {"Rebatedesk"}}}
	var err error
	switch t.medium {
	case Webhook:
		p.Body = c.Event
		err = sign(&p, c.ID, now, secrets)
	case Telegram:
		err = t.telegram(&p, c)
	case Slack:
		text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(cut(c.Text, mostSlack))
		p.Body, err = json.Marshal(map[string]any{"text": text, "unfurl_links": false})
	case Discord:
		err = t.discord(&p, c)
	default:
		err = errors.New("messages to a group go by mail")
	}
	return p, err
}

// sign adds the headers of the Standard Webhooks specification.
func sign(p *safehttp.Post, id string, now time.Time, secrets []string) error {
	at := strconv.FormatInt(now.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || len(key) == 0 {
			return errors.New("the signing secret cannot be used")
		}
		code := hmac.New(sha256.New, key)
		fmt.Fprintf(code, "%s.%s.%s", id, at, p.Body) // a hash never fails
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(code.Sum(nil)))
	}
	p.Header.Set("Webhook-Id", id)
	p.Header.Set("Webhook-Timestamp", at)
	p.Header.Set("Webhook-Signature", strings.Join(signatures, " "))
	return nil
}

// telegram writes sendMessage, or sendPhoto with the text as its caption.
func (t Receiver) telegram(p *safehttp.Post, c Content) (err error) {
	query := t.url.Query()
	fields := map[string]string{"chat_id": query.Get("chat_id")}
	if topic := query.Get("message_thread_id"); topic != "" {
		fields["message_thread_id"] = topic
	}
	method := *t.url
	method.RawQuery = ""
	if len(c.Picture) == 0 {
		p.URL = method.String() + "/sendMessage"
		fields["text"] = cut(c.Text, mostTelegram)
		p.Body, err = json.Marshal(fields)
		return err
	}
	p.URL = method.String() + "/sendPhoto"
	fields["caption"] = cut(c.Text, mostCaption)
	return form(p, c, fields, "photo")
}

// discord writes a message that mentions nobody, whatever its text says. With wait=true the
// answer says whether it was posted.
func (t Receiver) discord(p *safehttp.Post, c Content) (err error) {
	address := *t.url
	query := address.Query()
	query.Set("wait", "true")
	address.RawQuery = query.Encode()
	p.URL = address.String()
	text := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, ">", `\>`).Replace(c.Text)
	if strings.Contains(text, "http") {
		text = unescaped(text)
	}
	body, err := json.Marshal(map[string]any{"content": cut(text, mostDiscord), "allowed_mentions": map[string]any{"parse": []string{}}})
	if err != nil || len(c.Picture) == 0 {
		p.Body = body
		return err
	}
	return form(p, c, map[string]string{"payload_json": string(body)}, "files[0]")
}

// unescaped gives links their characters back: an escaped link leads elsewhere.
func unescaped(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		lines := strings.Split(word, "\n")
		for j, line := range lines {
			if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
				lines[j] = strings.NewReplacer(`\\`, `\`, `\`, "").Replace(line)
			}
		}
		words[i] = strings.Join(lines, "\n")
	}
	return strings.Join(words, " ")
}

// form writes a form with the picture. Its boundary follows from the ID, so that each try has the
// same bytes.
func form(p *safehttp.Post, c Content, fields map[string]string, picture string) error {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	sum := sha256.Sum256([]byte(c.ID))
	if err := w.SetBoundary(hex.EncodeToString(sum[:30])); err != nil {
		return err
	}
	for _, name := range []string{"chat_id", "message_thread_id", "caption", "payload_json"} {
		if fields[name] == "" {
			continue
		}
		if err := w.WriteField(name, fields[name]); err != nil {
			return err
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + picture + `"; filename="chart.png"`}, "Content-Type": {"image/png"}})
	if err == nil {
		_, err = part.Write(c.Picture)
	}
	if err == nil {
		err = w.Close()
	}
	p.Header.Set("Content-Type", w.FormDataContentType())
	p.Body = b.Bytes()
	return err
}

// cut shortens a text to a number of UTF-16 units.
func cut(text string, most int) string {
	if units := utf16.Encode([]rune(text)); len(units) > most {
		return strings.TrimSuffix(string(utf16.Decode(units[:most-1])), "\uFFFD") + "…"
	}
	return text
}
