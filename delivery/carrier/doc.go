// Package carrier puts files at destinations outside the database: a folder, a bucket of an
// S3-compatible storage, a folder of an SFTP server. A file appears under its name only when it
// is complete. Errors say what mends them, and contain no secrets.
package carrier
