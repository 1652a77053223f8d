package records

import "slices"

// givenFields are the fields that the exchange reports about an invitee; empty or 0 is
// unknown.
var givenFields = fields[StoredInvitee]{
	{column: string(FieldInviteCode), target: func(i *StoredInvitee) any { return &i.InviteCode }},
	{column: string(FieldRegistered), target: func(i *StoredInvitee) any { return (*int64)(&i.RegisterTime) }},
	{column: string(FieldKYC), target: func(i *StoredInvitee) any { return (*string)(&i.KYC) }},
	{column: string(FieldFirstDeposit), target: func(i *StoredInvitee) any { return (*int64)(&i.FirstDeposit) }},
	{column: string(FieldFirstTrade), target: func(i *StoredInvitee) any { return (*int64)(&i.FirstTrade) }},
	{column: string(FieldLastDeposit), target: func(i *StoredInvitee) any { return (*int64)(&i.LastDeposit) }},
	{column: string(FieldLastTrade), target: func(i *StoredInvitee) any { return (*int64)(&i.LastTrade) }},
}

// notedFields are the fields whose changes are recorded, in that order.
var notedFields = slices.Concat(givenFields, fields[StoredInvitee]{
	{column: string(FieldLastSeen), target: func(i *StoredInvitee) any { return (*int64)(&i.Missed) }},
	{column: string(FieldVanished), target: func(i *StoredInvitee) any { return (*int64)(&i.Vanished) }},
})

var inviteeFields = slices.Concat(fields[StoredInvitee]{
	{column: "uid", target: func(i *StoredInvitee) any { return (*string)(&i.UID) }},
	{column: "first_seen_ms", target: func(i *StoredInvitee) any { return (*int64)(&i.FirstSeen) }},
}, notedFields)

// StoredInviteeColumns lists the columns of an invitee.
var StoredInviteeColumns = inviteeFields.columns("")

// Targets returns the fields of an invitee in the order of [StoredInviteeColumns].
func (i *StoredInvitee) Targets() []any { return inviteeFields.targets(i) }
