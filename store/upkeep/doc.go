// Package upkeep keeps a database whole: backups and their drills, restore, verification,
// and vital signs.
package upkeep
