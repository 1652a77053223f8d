package store

import (
	"context"
	"fmt"
)

// VerifyAudit checks the audit log alone, as [Store.Verify] does among
// everything else. Its cost follows the number of lines.
func (s *Store) VerifyAudit(ctx context.Context) (Finding, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return Finding{}, err
	}
	defer r.Close()
	finding, err := r.verifyAudit(ctx, s.AuditKey())
	if err != nil {
		return finding, fmt.Errorf("verifying the audit log: %w", err)
	}
	return finding, nil
}
