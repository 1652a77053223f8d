// Package statements stores the statements to sub-affiliates as they were issued, when they
// were paid, and to whom they are addressed.
package statements
