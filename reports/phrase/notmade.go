package phrase

// NotMade says why a part of a page or a message is missing.
const NotMade = "This could not be made, by a fault of this program, which its log names. Nothing else here is affected."
