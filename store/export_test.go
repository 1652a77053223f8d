package store

import "fmt"

// SetSchemaVersion pretends that another program wrote the database.
func SetSchemaVersion(s *Store, version int) error {
	_, err := s.write.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}
