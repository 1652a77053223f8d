package people

import (
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
)

// Contact says how a person is reached. Empty fields are not known.
type Contact struct {
	Phone    string // digits, perhaps after a plus
	Email    string
	Telegram string // the name, without its at sign
}

// ContactLink is one way to a person.
type ContactLink struct {
	Field   PersonField
	Text    string
	Address string // begins a call or a message when it is followed
}

// Links lists the ways to the person, the one that reaches it soonest first.
func (c Contact) Links() (list []ContactLink) {
	if c.Phone != "" {
		list = append(list, ContactLink{FieldPhone, c.Phone, "tel:" + c.Phone})
	}
	if c.Telegram != "" {
		list = append(list, ContactLink{FieldTelegram, "@" + c.Telegram, "https://t.me/" + c.Telegram})
	}
	if c.Email != "" {
		list = append(list, ContactLink{FieldEmail, c.Email, "mailto:" + url.PathEscape(c.Email)})
	}
	return list
}

const maxEmail = 254 // characters, RFC 5321

var (
	phoneNumber  = regexp.MustCompile(`^\+?[0-9]{5,15}$`)
	telegramName = regexp.MustCompile(`^[A-Za-z0-9_]{5,32}$`)
	telegramHead = regexp.MustCompile(`^(?i:(https?://)?t\.me/)?@?`)
	phoneBreaks  = strings.NewReplacer(" ", "", "\u00a0", "", "-", "", "(", "", ")", "")
)

// checkPhone takes what people write between digits out of a number.
func checkPhone(text string) (string, error) {
	number := phoneBreaks.Replace(text)
	if text != "" && !phoneNumber.MatchString(number) {
		return "", fmt.Errorf("%q is no phone number: write 5 to 15 digits with the country code, such as +49 151 2345678", clipped(text))
	}
	return number, nil
}

func checkEmail(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	text, err := line("the mail address", text, maxEmail)
	if err != nil {
		return "", err
	}
	// A quoted name or an address of a machine is valid, and nobody has one.
	if a, err := mail.ParseAddress(text); err != nil || a.Address != text || strings.ContainsAny(text, `"[]`) {
		return "", fmt.Errorf("%q is no mail address: write it as name@example.com", clipped(text))
	}
	return text, nil
}

func checkTelegram(text string) (string, error) {
	name := strings.TrimPrefix(text, telegramHead.FindString(text))
	if text != "" && !telegramName.MatchString(name) {
		return "", fmt.Errorf("%q is no name on Telegram: write 5 to 32 letters, digits or underscores, such as @example", clipped(text))
	}
	return name, nil
}
