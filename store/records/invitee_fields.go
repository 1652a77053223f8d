package records

import "slices"

// givenFields are the fields that the exchange reports about an invitee; empty or 0 is
// unknown.
var givenFields = Fields[StoredInvitee]{
	{Column: string(FieldInviteCode), Target: func(i *StoredInvitee) any { return &i.InviteCode }},
	{Column: string(FieldRegistered), Target: func(i *StoredInvitee) any { return (*int64)(&i.RegisterTime) }},
	{Column: string(FieldKYC), Target: func(i *StoredInvitee) any { return (*string)(&i.KYC) }},
	{Column: string(FieldFirstDeposit), Target: func(i *StoredInvitee) any { return (*int64)(&i.FirstDeposit) }},
	{Column: string(FieldFirstTrade), Target: func(i *StoredInvitee) any { return (*int64)(&i.FirstTrade) }},
	{Column: string(FieldLastDeposit), Target: func(i *StoredInvitee) any { return (*int64)(&i.LastDeposit) }},
	{Column: string(FieldLastTrade), Target: func(i *StoredInvitee) any { return (*int64)(&i.LastTrade) }},
}

// notedFields are the fields whose changes are recorded, in that order.
var notedFields = slices.Concat(givenFields, Fields[StoredInvitee]{
	{Column: string(FieldLastSeen), Target: func(i *StoredInvitee) any { return (*int64)(&i.Missed) }},
	{Column: string(FieldVanished), Target: func(i *StoredInvitee) any { return (*int64)(&i.Vanished) }},
})

var inviteeFields = slices.Concat(Fields[StoredInvitee]{
	{Column: "uid", Target: func(i *StoredInvitee) any { return (*string)(&i.UID) }},
	{Column: "first_seen_ms", Target: func(i *StoredInvitee) any { return (*int64)(&i.FirstSeen) }},
}, notedFields)

// StoredInviteeColumns lists the columns of an invitee.
var StoredInviteeColumns = inviteeFields.Columns("")

// Targets returns the fields of an invitee in the order of [StoredInviteeColumns].
func (i *StoredInvitee) Targets() []any { return inviteeFields.Targets(i) }
