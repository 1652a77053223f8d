package findings

// Tested is the event of a test of a channel.
const Tested = "test"

var _ = register(Kind{Events: []Event{{Name: Tested, Place: 100, When: "Somebody tests the channel."}}}) // no choice in the form: whoever tests wants to see it
