package people

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
)

// Limits of the values of a person, in characters, and of their number.
const (
	MaxPersonName = 120
	MaxOwner      = 80
	MaxOwnCode    = 64
	MaxPersonNote = 500
	MaxTag        = 40
	MaxTags       = 20
	maxCoin       = 20
)

// CheckValue returns a value in the form in which it is stored, or what is wrong with it and how
// to mend it. Tags are separated by semicolons, or by commas if there is no semicolon. The
// error begins with a lower-case letter and ends without a full stop.
func CheckValue(f PersonField, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == removes {
		return "", fmt.Errorf("a single hyphen means in a people file that the value is removed: write something else, or leave it empty")
	}
	switch f {
	case FieldName:
		return line("the name", text, MaxPersonName)
	case FieldCode:
		return line("the invite code", text, MaxOwnCode)
	case FieldOwner:
		return line("the owner", text, MaxOwner)
	case FieldNote:
		return lines("the note", text, MaxPersonNote)
	case FieldTags:
		return checkTags(text)
	case FieldCost:
		return checkCost(text)
	case FieldPhone:
		return checkPhone(text)
	case FieldEmail:
		return checkEmail(text)
	case FieldTelegram:
		return checkTelegram(text)
	}
	coin, err := line("the coin", strings.ToUpper(text), maxCoin)
	if err == nil && strings.ContainsFunc(coin, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		err = fmt.Errorf("%q is no coin: write its short name, such as USDT", clipped(text))
	}
	return coin, err
}

// lines checks a text of one line or several, whose ends become line feeds.
func lines(what, text string, longest int) (string, error) {
	text = affiliate.LineFeeds(text)
	if _, err := line(what, strings.NewReplacer("\n", " ", "\t", " ").Replace(text), longest); err != nil {
		return "", err
	}
	return text, nil
}

// line checks a text of one line.
func line(what, text string, longest int) (string, error) {
	switch {
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%s is not UTF-8: type it again", what)
	case utf8.RuneCountInString(text) > longest:
		return "", fmt.Errorf("%s is longer than %d characters", what, longest)
	case strings.ContainsFunc(text, affiliate.Invisible):
		return "", fmt.Errorf("%s has a character without a visible form, or a line break: %s; remove it", what, clipped(text))
	case text != "" && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }):
		return "", fmt.Errorf("%s has no visible character", what)
	}
	return text, nil
}

func checkTags(text string) (string, error) {
	separator := TagSeparator
	if !strings.Contains(text, TagSeparator) {
		separator = ","
	}
	tags := tagsOf(text, separator)
	if len(tags) > MaxTags {
		return "", fmt.Errorf("%d tags are too many: a person has at most %d", len(tags), MaxTags)
	}
	for _, tag := range tags {
		if _, err := line("the tag "+clipped(tag), tag, MaxTag); err != nil {
			return "", err
		}
	}
	return strings.Join(tags, TagSeparator), nil
}

func checkCost(text string) (string, error) {
	n, err := affiliate.ParseNumber(text)
	switch {
	case text == "":
		return "", nil
	case strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−"):
		return "", fmt.Errorf("the cost %s is negative: write what was spent, without a sign", clipped(text))
	case strings.Contains(text, ","):
		return "", fmt.Errorf("the cost %q has a comma: write a decimal point and no separators, such as 1250.50", clipped(text))
	case err != nil || string(n) != text:
		return "", fmt.Errorf("the cost %q is not a plain number: write it as 1250.50, without currency sign, separators or exponent", clipped(text))
	}
	return text, nil
}

func clipped(text string) string { return tabular.Clipped(text) }
