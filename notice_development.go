//go:build !release

package rebatedesk

// Notice is empty: only a build with the tag "release" holds the licences of others.
const Notice = ""
