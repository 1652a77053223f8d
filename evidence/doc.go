// Package evidence writes and checks evidence packs: ZIP files with a signed list of what is
// in them.
//
// The last two members of a pack are manifest.json, which has the SHA-256 of every other
// member, and manifest.sig, its Ed25519 signature. The same content and the same key give the
// same bytes, since members are not compressed. A check needs nothing but the file.
package evidence
