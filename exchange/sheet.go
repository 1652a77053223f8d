package exchange

import "rebatedesk/affiliate"

// Names of package affiliate by which adapters declare what their exchange gives.
type (
	// Sheet declares what the interface of an exchange gives and what it leaves open.
	Sheet = affiliate.Sheet
	// StreamSheet says how a stream is read.
	StreamSheet = affiliate.StreamSheet
	// Grain is what one record of commission covers.
	Grain = affiliate.Grain
	// Proof is what proves that commission was paid.
	Proof = affiliate.Proof
)

// The grains and proofs.
const (
	GrainRecord = affiliate.GrainRecord
	GrainTrade  = affiliate.GrainTrade
	GrainDay    = affiliate.GrainDay
	GrainSpan   = affiliate.GrainSpan

	ProofBills = affiliate.ProofBills
	ProofState = affiliate.ProofState
	ProofNone  = affiliate.ProofNone
)
