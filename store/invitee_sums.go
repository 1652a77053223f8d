package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"rebatedesk/affiliate"
)

// InviteeSums are what one invitee brought in one coin.
type InviteeSums struct {
	Account    affiliate.Account
	UID        affiliate.UID
	Coin       affiliate.Coin
	Records    int64
	Fee        affiliate.Number
	Commission affiliate.Number
}

// InviteeSums adds up the records of the filter by invitee and coin, in no
// order. The cost follows the invitees who traded on each day of the range.
func (r *Reader) InviteeSums(ctx context.Context, f CommissionFilter) ([]InviteeSums, error) {
	from, w := f.byInvitee(r)
	var packed string
	err := r.tx.QueryRowContext(ctx, `
		SELECT invitee_sums(c.account_id, c.uid, c.coin, `+from.records+`, c.fee, c.commission)
		FROM `+from.table+` c WHERE `+w.String(), w.args...).Scan(&packed)
	var list []packedInvitee
	if err == nil {
		err = json.Unmarshal([]byte(packed), &list)
	}
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	names, err := r.accountNames(ctx)
	if err != nil {
		return nil, err
	}
	sums := make([]InviteeSums, len(list))
	for i, p := range list {
		sums[i] = InviteeSums{names[p.Account], p.UID, p.Coin, p.Records, p.Fee, p.Commission}
	}
	return sums, nil
}

// groupInvitees is the SQL aggregate invitee_sums(account, uid, coin, records,
// fee, commission). GROUP BY would sort every row into a temporary tree first,
// which costs three times as much as adding them up; here they go straight
// into a map, and the groups come back in one piece of JSON.
type groupInvitees struct {
	groups map[inviteeGroup]*inviteeTotal
}

type inviteeGroup struct {
	account   int64
	uid, coin string
}

type inviteeTotal struct {
	records         int64
	fee, commission affiliate.Sum
}

type packedInvitee struct {
	Account    int64            `json:"a"`
	UID        affiliate.UID    `json:"u"`
	Coin       affiliate.Coin   `json:"c"`
	Records    int64            `json:"n"`
	Fee        affiliate.Number `json:"f"`
	Commission affiliate.Number `json:"m"`
}

func (g *groupInvitees) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	account, okAccount := args[0].(int64)
	uid, okUID := args[1].(string)
	coin, okCoin := args[2].(string)
	records, okRecords := args[3].(int64)
	if !okAccount || !okUID || !okCoin || !okRecords {
		return fmt.Errorf("invitee_sums of %T, %T, %T, %T", args[0], args[1], args[2], args[3])
	}
	total := g.groups[inviteeGroup{account, uid, coin}]
	if total == nil {
		total = new(inviteeTotal)
		// The texts belong to SQLite and are gone with the row.
		g.groups[inviteeGroup{account, strings.Clone(uid), strings.Clone(coin)}] = total
	}
	total.records += records
	if err := addText(&total.fee, args[4]); err != nil {
		return err
	}
	return addText(&total.commission, args[5])
}

func (g *groupInvitees) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return fmt.Errorf("invitee_sums is not a window function")
}

func (g *groupInvitees) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	list := make([]packedInvitee, 0, len(g.groups))
	for k, t := range g.groups {
		list = append(list, packedInvitee{k.account, affiliate.UID(k.uid), affiliate.Coin(k.coin), t.records,
			affiliate.Number(t.fee.String()), affiliate.Number(t.commission.String())})
	}
	packed, err := json.Marshal(list)
	return string(packed), err
}

func (g *groupInvitees) Final(*sqlite.FunctionContext) {}
