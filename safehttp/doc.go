// Package safehttp makes requests to addresses that users chose: receivers of channels, and
// stores of files. It reaches public addresses only, unless private ones are allowed, and
// checks them after the name was resolved. It follows no redirect, uses no proxy of the
// environment, limits the time of each step, and reads a limited part of an answer.
package safehttp
