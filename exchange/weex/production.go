package weex

// Addresses of the exchange in production. Where no other one is given they are offered to people; a
// program that runs from settings states its own.
const (
	ProductionName         = "WEEX"
	ProductionBase         = "https://api-spot.weex.com"
	ProductionContractBase = "https://api-contract.weex.com"
)
