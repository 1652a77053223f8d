package frame

import "strings"

// kindNames are the names of business types for people. A type that the document does not list
// gets its own words.
var kindNames = map[string]string{
	"deposit": "Deposit", "withdraw": "Withdrawal", "transfer_in": "Transfer in", "transfer_out": "Transfer out",
	"trade_in": "Bought or received in a trade", "trade_out": "Paid in a trade", "rake_back_reward": "Commission payout of sub-agents",
	"airdrop_reward": "Airdrop", "rr_agent_reward": "Commission payout", "rr_agent_reward_contract": "Commission payout, contracts", "launch_pad_airdrop_in": "Launchpad, in", "launch_pad_airdrop_out": "Launchpad, out",
	"system_issued": "Issued by the exchange", "airdrop_reward_for_product_activity": "Airdrop of a campaign",
	"red_packet_create": "Red packet made", "red_packet_claim": "Red packet taken", "red_packet_refund": "Red packet returned",
	"buy_success": "Bought", "sell_cancel": "Sale cancelled", "withdraw_freeze": "Withdrawal held", "withdraw_complete": "Withdrawal done",
	"withdraw_failed": "Withdrawal failed", "sell_freeze": "Sale held", "sell_complete": "Sale done", "internal_deposit": "Internal deposit",
	"internal_withdraw": "Internal withdrawal", "interest_receive": "Interest", "ptoken_retrieve": "Stake retrieved", "ptoken_lock": "Stake locked",
	"ptoken_unlock": "Stake unlocked", "ptoken_lock_reward": "Staking reward", "c2c_buy": "P2P purchase", "c2c_sell": "P2P sale",
	"c2c_freeze": "P2P sale held", "c2c_unfreeze": "P2P sale released",
	"buy": "Buy", "sell": "Sell",
}

// KindWords names the kind of a bill, a fill or a transfer.
func KindWords(kind string) string {
	if name, ok := kindNames[kind]; ok {
		return name
	}
	if from, to, ok := strings.Cut(kind, " → "); ok {
		return WalletWords(from) + " → " + WalletWords(to)
	}
	plain := strings.ReplaceAll(kind, "_", " ")
	if plain == "" {
		return plain
	}
	return strings.ToUpper(plain[:1]) + plain[1:]
}

// WalletWords names a kind of account.
func WalletWords(kind string) string {
	switch {
	case strings.Contains(strings.ToLower(kind), "spot"):
		return "Spot account"
	case strings.Contains(strings.ToLower(kind), "fund"):
		return "Funding account"
	}
	return KindWords(kind)
}
