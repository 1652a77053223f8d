package people

import (
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// PersonField is a value of a person, by its column of the people file.
type PersonField string

// The values of a person.
const (
	FieldName     PersonField = "name"
	FieldCode     PersonField = "invite_code"
	FieldTags     PersonField = "tags"
	FieldOwner    PersonField = "owner"
	FieldCost     PersonField = "cost"
	FieldCostCoin PersonField = "cost_coin"
	FieldNote     PersonField = "note"
	FieldPhone    PersonField = "phone"
	FieldEmail    PersonField = "email"
	FieldTelegram PersonField = "telegram"
)

// PersonFields lists the values in the order of the people file.
func PersonFields() []PersonField {
	return []PersonField{FieldName, FieldCode, FieldTags, FieldOwner, FieldCost, FieldCostCoin, FieldNote, FieldPhone, FieldEmail, FieldTelegram}
}

// TagSeparator separates tags in files, and occurs in no tag.
const TagSeparator = ";"

// Person is what is kept of a UID of the exchange, in whichever accounts it appears. Empty
// fields are not known.
type Person struct {
	UID        affiliate.UID
	Name       string
	InviteCode string   // ours: it counts where the exchange tells none
	Tags       []string // in alphabetical order, ignoring their case
	Owner      string   // a user of the installation, or any label
	Cost       affiliate.Number
	CostCoin   affiliate.Coin
	Note       string
	Contact
}

// Value returns a value as text, the tags joined by [TagSeparator].
func (p *Person) Value(f PersonField) string {
	if f == FieldTags {
		return strings.Join(p.Tags, TagSeparator)
	}
	return *p.text(f)
}

// Set sets a value from the text that [Person.Value] returns.
func (p *Person) Set(f PersonField, text string) {
	if f == FieldTags {
		p.Tags = tagsOf(text, TagSeparator)
		return
	}
	*p.text(f) = text
}

func (p *Person) text(f PersonField) *string {
	switch f {
	case FieldName:
		return &p.Name
	case FieldCode:
		return &p.InviteCode
	case FieldOwner:
		return &p.Owner
	case FieldCost:
		return (*string)(&p.Cost)
	case FieldCostCoin:
		return (*string)(&p.CostCoin)
	case FieldPhone:
		return &p.Phone
	case FieldEmail:
		return &p.Email
	case FieldTelegram:
		return &p.Telegram
	}
	return &p.Note
}

// Empty reports whether nothing is kept of the person.
func (p *Person) Empty() bool {
	return !slices.ContainsFunc(PersonFields(), func(f PersonField) bool { return p.Value(f) != "" })
}

// tagsOf returns the tags of a text in alphabetical order, each once whatever its case.
func tagsOf(text, separator string) (tags []string) {
	seen := map[string]bool{}
	for tag := range strings.SplitSeq(text, separator) {
		if tag = strings.TrimSpace(tag); tag != "" && !seen[affiliate.Folded(tag)] {
			seen[affiliate.Folded(tag)] = true
			tags = append(tags, tag)
		}
	}
	SortTags(tags)
	return tags
}

// SortTags puts tags into alphabetical order, ignoring their case.
func SortTags(tags []string) {
	slices.SortFunc(tags, func(a, b string) int { return strings.Compare(affiliate.Folded(a), affiliate.Folded(b)) })
}
