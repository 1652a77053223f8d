// Package people says who a UID of the exchange is: the values that are kept of a person, and
// the people file from which they are read and to which they are written. No input or output
// but the file's text.
package people
