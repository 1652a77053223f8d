package phrase

// NoShare says why a part has no share.
const NoShare = "no share: only positive amounts have one, and only if there are some"

// NotMade says why a part of a page or a message is missing.
const NotMade = "This could not be made, by a fault of this program, which its log names. Nothing else here is affected."
