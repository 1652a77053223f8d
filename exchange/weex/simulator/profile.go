package simulator

import "math/rand/v2"

// fillsPath is the path to which the oddities of fills apply.
const fillsPath = "/trade/fills"

// profile is the set of rules of a fault level. About one request in sixteen meets a harsh
// transport fault. A 429 is rarer, because each one costs the client ten seconds of
// waiting.
func profile(level Faults, random *rand.Rand) []FaultRule {
	tooMany := FaultRule{Fault: RateLimited, Every: 300, After: 20 + random.IntN(60), Limit: 4}
	switch level {
	case FaultsNormal:
		return []FaultRule{
			tooMany,
			{Fault: ServerError, Probability: 0.01},
			{Fault: Slow, Probability: 0.01},
		}
	case FaultsHarsh:
		return []FaultRule{
			tooMany,
			{Fault: ServerError, Probability: 0.014},
			{Fault: HTMLOK, Probability: 0.01},
			{Fault: HTMLError, Probability: 0.01},
			{Fault: Truncated, Probability: 0.01},
			{Fault: Reset, Probability: 0.01},
			{Fault: Slow, Probability: 0.01},

			{Fault: DateField, Probability: 0.3},
			{Fault: OtherTypes, Probability: 0.3},
			{Fault: ProductField, Probability: 0.3},
			{Fault: NullFields, Probability: 0.3},
			{Fault: RequestTimeText, Probability: 0.3},
			{Fault: OldEnvelope, Probability: 0.1},
			{Fault: NullList, Every: 3},
			{Fault: NoList, Every: 2},
			{Fault: EmptyFields, Probability: 0.2, Path: fillsPath},
			{Fault: ZeroTotals, Probability: 0.3, Path: fillsPath},

			{Fault: Late, Probability: 0.4},
			{Fault: TotalLow, Probability: 0.06},
			{Fault: TotalHigh, Probability: 0.06},
			{Fault: TotalChanging, Probability: 0.06},
			{Fault: WrongPages, Probability: 0.08},
			{Fault: RepeatedPage, Probability: 0.12},
			{Fault: EmptyPage, Probability: 0.12},
			{Fault: Inserted, Probability: 0.25},
			{Fault: Removed, Probability: 0.3},
			{Fault: Revised, Probability: 0.4},
		}
	}
	return nil
}
