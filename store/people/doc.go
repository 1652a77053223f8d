// Package people stores who a UID of the exchange is: name, invite code of ours, tags, owner,
// cost and note, with their history, the imports of people files, and the notes of managers.
package people
