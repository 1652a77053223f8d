// Package dated stores what people write and change, such as goals and costs: a table for each
// kind, or the one that they share. A row is never altered. A change ends it and adds the next one, each change writes its line of
// the audit log, and so a query about an earlier instant finds what held then.
package dated
