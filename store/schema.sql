-- What all migrations together leave. Written by TestSchema.

CREATE TABLE meta (
	id            INTEGER PRIMARY KEY CHECK (id = 1),
	zone          TEXT    NOT NULL,          -- of the reporting day in the roll-ups
	last_write_ms INTEGER NOT NULL DEFAULT 0 -- newest stamp given to a write; stamps only grow
, codes_ms INTEGER NOT NULL DEFAULT 0, bounded INTEGER NOT NULL DEFAULT 0, rolled_ms INTEGER NOT NULL DEFAULT 0, invitees_ms INTEGER NOT NULL DEFAULT 0, hours_ms INTEGER NOT NULL DEFAULT -1, people_ms INTEGER NOT NULL DEFAULT 0, names_hidden INTEGER NOT NULL DEFAULT 0, aside_ms    INTEGER NOT NULL DEFAULT 0, reported_ms INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE accounts (
	id          INTEGER PRIMARY KEY,
	name        TEXT NOT NULL UNIQUE,
	wanted_from TEXT, exchange TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE commissions (
	id           INTEGER PRIMARY KEY,
	account_id   INTEGER NOT NULL REFERENCES accounts,
	product      TEXT    NOT NULL,
	deal_time_ms INTEGER NOT NULL,
	uid          TEXT    NOT NULL,
	symbol       TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	fee          TEXT    NOT NULL,
	rate         TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	opened_ms    INTEGER NOT NULL,
	closed_ms    INTEGER
) STRICT;

CREATE TABLE commission_days (
	day          TEXT    NOT NULL,
	account_id   INTEGER NOT NULL REFERENCES accounts,
	product      TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	records      INTEGER NOT NULL,
	fee          TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	PRIMARY KEY (day, account_id, product, coin, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE invitees (
	account_id       INTEGER NOT NULL REFERENCES accounts,
	uid              TEXT    NOT NULL,
	invite_code      TEXT    NOT NULL, -- '' = not said
	register_ms      INTEGER NOT NULL, -- 0 = not said, as in the columns below
	kyc              TEXT    NOT NULL, -- 'true', 'false' or ''
	first_deposit_ms INTEGER NOT NULL,
	first_trade_ms   INTEGER NOT NULL,
	last_deposit_ms  INTEGER NOT NULL,
	last_trade_ms    INTEGER NOT NULL,
	first_seen_ms    INTEGER NOT NULL,
	last_seen_ms     INTEGER NOT NULL, vanished_ms INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (account_id, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE invitee_changes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL,
	uid        TEXT    NOT NULL,
	seen_ms    INTEGER NOT NULL,
	field      TEXT    NOT NULL,
	was        TEXT    NOT NULL,
	became     TEXT    NOT NULL,
	FOREIGN KEY (account_id, uid) REFERENCES invitees
) STRICT;

CREATE TABLE sub_affiliate_days (
	id              INTEGER PRIMARY KEY,
	account_id      INTEGER NOT NULL REFERENCES accounts,
	product         TEXT    NOT NULL,
	date            TEXT    NOT NULL, -- a UTC day
	uid             TEXT    NOT NULL,
	trading_volume  TEXT    NOT NULL,
	net_trading_fee TEXT    NOT NULL,
	paid_commission TEXT    NOT NULL,
	opened_ms       INTEGER NOT NULL,
	closed_ms       INTEGER
) STRICT;

CREATE TABLE coverage (
	account_id    INTEGER NOT NULL REFERENCES accounts,
	stream        TEXT    NOT NULL,
	product       TEXT    NOT NULL, -- '' where the stream has none
	day           TEXT    NOT NULL,
	through_ms    INTEGER NOT NULL, -- read up to here; 0 = never; the end of the day = whole
	first_read_ms INTEGER NOT NULL, -- when it was first read; 0 = never
	last_read_ms  INTEGER NOT NULL,
	agreed        INTEGER NOT NULL, -- reads in a row that found the same
	failed_ms     INTEGER NOT NULL, -- the last try failed then; 0 = it did not
	error         TEXT    NOT NULL, read_ms INTEGER NOT NULL DEFAULT 0, first_through_ms INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (account_id, stream, product, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
	id          INTEGER PRIMARY KEY,
	account_id  INTEGER NOT NULL REFERENCES accounts,
	cause       TEXT    NOT NULL, -- what started it: schedule, command, button
	started_ms  INTEGER NOT NULL,
	requests    INTEGER NOT NULL DEFAULT 0,
	weight      INTEGER NOT NULL DEFAULT 0,
	records     INTEGER NOT NULL DEFAULT 0,
	opened      INTEGER NOT NULL DEFAULT 0,
	closed      INTEGER NOT NULL DEFAULT 0,
	slices      INTEGER NOT NULL DEFAULT 0,
	failed      INTEGER NOT NULL DEFAULT 0, -- slices that could not be read
	error       TEXT    NOT NULL DEFAULT ''
, finished_ms INTEGER, quarantined INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE slices (
	id         INTEGER PRIMARY KEY,
	run_id     INTEGER NOT NULL REFERENCES runs,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL,
	from_ms    INTEGER NOT NULL,
	to_ms      INTEGER NOT NULL,
	started_ms INTEGER NOT NULL,
	ended_ms   INTEGER NOT NULL,
	requests   INTEGER NOT NULL,
	records    INTEGER NOT NULL,
	opened     INTEGER NOT NULL,
	closed     INTEGER NOT NULL,
	error      TEXT    NOT NULL -- '' = written
, through_ms       INTEGER NOT NULL DEFAULT 0, quarantined INTEGER NOT NULL DEFAULT 0, notice TEXT) STRICT;

CREATE TABLE rates (
	quote      TEXT    NOT NULL,
	coin       TEXT    NOT NULL,
	hour       INTEGER NOT NULL CHECK (hour = at_ms / 3600000), -- since 1970, UTC
	at_ms      INTEGER NOT NULL, -- as the exchange says
	sampled_ms INTEGER NOT NULL, -- the stamp of the write
	price      TEXT    NOT NULL, -- of one coin, in the quote coin
	source     TEXT    NOT NULL,
	symbol     TEXT    NOT NULL,
	PRIMARY KEY (quote, coin, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_views (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	owner      TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	path       TEXT    NOT NULL, -- of the page
	query      TEXT    NOT NULL, -- of its address, as text: what it means is found out when it is opened
	is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
	created_ms INTEGER NOT NULL,
	updated_ms INTEGER NOT NULL,
	UNIQUE (owner, path, name)
) STRICT;

CREATE TABLE invitee_notes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	uid        TEXT    NOT NULL,
	author     TEXT    NOT NULL, -- '' = written before there were users
	text       TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	deleted_ms INTEGER) STRICT;

CREATE TABLE users (
	id            INTEGER PRIMARY KEY,
	name          TEXT    NOT NULL,
	folded        TEXT    NOT NULL UNIQUE,     -- the name without its case
	role          TEXT    NOT NULL CHECK (role IN ('viewer', 'manager', 'admin', 'trader')),
	password      TEXT    NOT NULL,            -- argon2id, as a PHC string
	long_password INTEGER NOT NULL CHECK (long_password IN (0, 1)), -- long enough for the roles that need a code
	totp          BLOB,                        -- sealed; NULL = no codes
	totp_step     INTEGER NOT NULL DEFAULT 0,  -- of the newest code taken: neither it nor an older one works again
	created_ms    INTEGER NOT NULL,
	updated_ms INTEGER NOT NULL DEFAULT 0, signed_in_ms INTEGER, disabled_ms INTEGER, bound TEXT NOT NULL DEFAULT '', mac BLOB, changed_ms INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE recovery_codes (
	user_id INTEGER NOT NULL REFERENCES users,
	hash    BLOB    NOT NULL, mac BLOB,
	PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       BLOB    NOT NULL UNIQUE,
	user_id    INTEGER NOT NULL REFERENCES users,
	whole      INTEGER NOT NULL CHECK (whole IN (0, 1)), -- 0 = the code is still missing
	agent      TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	seen_ms    INTEGER NOT NULL -- behind by up to a minute
, proved_ms INTEGER, mac BLOB) STRICT;

CREATE TABLE devices (
	hash    BLOB    NOT NULL,
	user_id INTEGER NOT NULL REFERENCES users,
	used_ms INTEGER NOT NULL, agent    TEXT    NOT NULL DEFAULT '', address  TEXT    NOT NULL DEFAULT '', first_ms INTEGER,
	PRIMARY KEY (hash, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       BLOB    NOT NULL UNIQUE,
	user_id    INTEGER NOT NULL REFERENCES users,
	name       TEXT    NOT NULL,
	scopes     TEXT    NOT NULL, -- with spaces between
	created_ms INTEGER NOT NULL,
	address    TEXT    NOT NULL DEFAULT '', -- of that use
	used_ms INTEGER, revoked_ms INTEGER, expires_ms INTEGER, mac BLOB) STRICT;

CREATE TABLE throttles (
	key      BLOB    PRIMARY KEY,
	count    INTEGER NOT NULL,
	since_ms INTEGER NOT NULL, -- the count is of the time from then on
	until_ms INTEGER NOT NULL, -- nothing is taken before
	last_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
	id      INTEGER PRIMARY KEY, -- 1, 2, 3 without a gap
	at_ms   INTEGER NOT NULL,    -- the stamp of the write, so it never falls
	actor   TEXT    NOT NULL,    -- name of a user; '' = nobody was signed in
	via     TEXT    NOT NULL,    -- session, token, command or server
	address TEXT    NOT NULL,    -- of the client; '' = none
	action  TEXT    NOT NULL,
	object  TEXT    NOT NULL,    -- what was acted upon
	detail  TEXT    NOT NULL,
	outcome TEXT    NOT NULL,
	mac     BLOB    NOT NULL
) STRICT;

CREATE TABLE audit_head (
	id     INTEGER PRIMARY KEY CHECK (id = 1),
	key_id TEXT    NOT NULL, -- name of the key that the codes are made with
	rows   INTEGER NOT NULL,
	mac    BLOB    NOT NULL, -- of the newest row
	seal   BLOB    NOT NULL
) STRICT;

CREATE TABLE exchange_accounts (
	name              TEXT    PRIMARY KEY COLLATE NOCASE,
	base_url          TEXT    NOT NULL,
	contract_base_url TEXT    NOT NULL,
	api_version       TEXT    NOT NULL,
	locale            TEXT    NOT NULL,
	keys              BLOB    NOT NULL,
	trading_keys      BLOB    NOT NULL,           -- x'' = the account does not trade
	created_ms        INTEGER NOT NULL,
	rotated_ms        INTEGER NOT NULL,           -- when it was given its keys
	updated_ms INTEGER NOT NULL DEFAULT 0, disabled_ms INTEGER, exchange TEXT NOT NULL DEFAULT 'weex') STRICT;

CREATE TABLE backups (
	id         INTEGER PRIMARY KEY,
	started_ms INTEGER NOT NULL,
	file       TEXT    NOT NULL,            -- absolute path
	bytes      INTEGER NOT NULL DEFAULT 0,
	row_count  INTEGER NOT NULL DEFAULT 0,  -- of all tables
	sound      INTEGER NOT NULL DEFAULT 0 CHECK (sound IN (0, 1)), -- its rows and sums were those of the database
	error      TEXT    NOT NULL DEFAULT '', -- why there is no such file
	drill      TEXT    NOT NULL DEFAULT '', -- what it found wrong; '' = nothing
	ended_ms INTEGER, drilled_ms INTEGER, removed_ms INTEGER, node TEXT) STRICT;

CREATE TABLE intents (
	id      TEXT    PRIMARY KEY,         -- letters and digits; client order ids of pages begin with it
	account TEXT    NOT NULL,
	kind    TEXT    NOT NULL,            -- place, batch, cancel, cancel-batch, cancel-all or trigger
	pair    TEXT    NOT NULL,
	source  TEXT    NOT NULL,            -- page or proxy
	again   INTEGER NOT NULL,            -- 1 = the same order a moment ago is no mistake
	typed   TEXT    NOT NULL,            -- a digest of what was asked for
	actor   TEXT    NOT NULL,            -- who made it
	via     TEXT    NOT NULL,
	made_ms INTEGER NOT NULL,
	sent_ms INTEGER, owner TEXT) STRICT;

CREATE TABLE intent_orders (
	intent_id     TEXT    NOT NULL REFERENCES intents,
	n             INTEGER NOT NULL,      -- from 0
	side          TEXT    NOT NULL,      -- buy or sell; '' = a cancellation
	type          TEXT    NOT NULL,
	force         TEXT    NOT NULL,
	price         TEXT    NOT NULL,
	quantity      TEXT    NOT NULL,
	trigger_price TEXT    NOT NULL,
	action        TEXT    NOT NULL,
	match         TEXT    NOT NULL,
	margin        INTEGER NOT NULL,
	client_id     TEXT    NOT NULL,
	order_id      TEXT    NOT NULL,      -- of the exchange
	worth         TEXT    NOT NULL,      -- what it counts in caps, in coin
	coin          TEXT    NOT NULL,
	state         TEXT    NOT NULL,
	status        INTEGER NOT NULL,      -- of HTTP; 0 = no answer
	code          TEXT    NOT NULL,
	message       TEXT    NOT NULL,
	class         TEXT    NOT NULL,
	rule          TEXT    NOT NULL,      -- of ours, that kept it from being sent
	verdict       TEXT    NOT NULL,      -- of a person: done or not-done
	reason        TEXT    NOT NULL,
	decided_by    TEXT    NOT NULL,
	at_ms INTEGER, overridden_ms INTEGER,      -- 0 = it blocks while it is unknown
	PRIMARY KEY (intent_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE trading_switch (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	stopped  INTEGER NOT NULL,
	actor    TEXT    NOT NULL,
	reason   TEXT    NOT NULL,
	since_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE favourite_pairs (
	owner      TEXT    NOT NULL,
	pair       TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	PRIMARY KEY (owner, pair)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
	id             INTEGER PRIMARY KEY,
	kind           TEXT    NOT NULL CHECK (kind IN ('schedule', 'alert')),
	number         INTEGER NOT NULL,            -- of its kind: pages and the links in mails name it by this
	name           TEXT    NOT NULL COLLATE NOCASE,
	account        TEXT,                        -- NULL = all
	coin           TEXT,                        -- NULL = all
	zone           TEXT    NOT NULL,            -- of the hour or the quiet time; days are those of the reporting zone
	paused_ms      INTEGER,                     -- NULL = at work
	removed_ms     INTEGER,
	created_ms     INTEGER NOT NULL,
	updated_ms     INTEGER NOT NULL,            -- tells two versions apart
	-- Of schedules.
	every          TEXT    CHECK (every IN ('daily', 'weekly', 'monthly')),
	weekday        INTEGER,                     -- of weekly ones; 0 = Sunday
	month_day      INTEGER,                     -- of monthly ones; clipped to the month
	hour           INTEGER,
	minute         INTEGER,
	product        TEXT,                        -- NULL = all, as in the two columns below
	code           TEXT,
	sections       TEXT,                        -- comma between
	attach_csv     INTEGER CHECK (attach_csv IN (0, 1)),
	attach_xlsx    INTEGER CHECK (attach_xlsx IN (0, 1)),
	skip_empty     INTEGER CHECK (skip_empty IN (0, 1)),
	skip_below     TEXT,                        -- commission; NULL = never
	skip_coin      TEXT,
	deadline_hours INTEGER,                     -- after the hour: then it goes out incomplete
	correct_above  TEXT,                        -- change of commission; NULL = never
	correct_coin   TEXT,
	through_day    TEXT,                        -- last day of the newest period that was settled
	-- Of alerts.
	watches        TEXT,                        -- name of a condition
	hours          INTEGER,                     -- how long it must last
	percent        INTEGER,                     -- of what is usual
	amount         TEXT,
	quiet_from     INTEGER,                     -- minute of the day; NULL = never quiet
	quiet_until    INTEGER,
	apart_hours    INTEGER,                     -- between two mails at least; NULL = as it comes
	since_ms       INTEGER,                     -- what was over by then is not told
	told_ms        INTEGER,                     -- when its newest mail was queued
	as_user        TEXT,                        -- whose invitees it is about; NULL = everybody's
	segment        TEXT,                        -- NULL = all invitees
	UNIQUE (kind, number),
	CHECK (kind = CASE WHEN every IS NOT NULL AND watches IS NULL THEN 'schedule' WHEN every IS NULL AND watches IS NOT NULL THEN 'alert' END)
) STRICT;

CREATE TABLE recipients (
	subscription_id INTEGER NOT NULL REFERENCES subscriptions,
	address         TEXT    NOT NULL COLLATE NOCASE,
	stopped_ms      INTEGER,                    -- when the recipient asked to be left alone
	PRIMARY KEY (subscription_id, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
	id              INTEGER PRIMARY KEY,
	subscription_id INTEGER REFERENCES subscriptions, -- NULL = by hand
	scope           TEXT    NOT NULL,           -- what it is about
	every           TEXT,                       -- NULL = of an alert
	first_day       TEXT    NOT NULL,
	last_day        TEXT    NOT NULL,
	kind            TEXT    NOT NULL CHECK (kind IN ('summary', 'partial', 'corrected', 'skipped', 'manual', 'test', 'alert')),
	number          INTEGER NOT NULL,           -- counts those of the same kind, from 0
	made_ms         INTEGER NOT NULL,
	sender          TEXT    NOT NULL,
	subject         TEXT    NOT NULL,
	text            TEXT,                       -- NULL = it stands for a part of a digest
	html            TEXT,                       -- NULL = not kept any more
	picture         BLOB                        -- PNG
, as_of_ms INTEGER, brief TEXT, event TEXT) STRICT;

CREATE TABLE attachments (
	message_id INTEGER NOT NULL REFERENCES messages,
	position   INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	type       TEXT    NOT NULL,
	content    BLOB    NOT NULL,
	PRIMARY KEY (message_id, position)
) STRICT;

CREATE TABLE message_totals (
	message_id INTEGER NOT NULL REFERENCES messages,
	coin       TEXT    NOT NULL,
	commission TEXT    NOT NULL,
	PRIMARY KEY (message_id, coin)
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
	id           INTEGER PRIMARY KEY,
	name         TEXT    NOT NULL COLLATE NOCASE,
	kind         TEXT    NOT NULL CHECK (kind IN ('webhook', 'telegram', 'slack', 'discord', 'email')),
	address      BLOB    NOT NULL, -- sealed
	shown        TEXT    NOT NULL, -- its host and last characters, which lists show
	secret       BLOB,             -- sealed; of webhooks
	old_secret   BLOB,             -- sealed; signs too until the instant below
	old_until_ms INTEGER,
	events       TEXT,             -- comma between; NULL = none
	owner        TEXT,             -- mail address that is told when the channel stops; NULL = nobody
	actor        TEXT    NOT NULL, -- who added it
	created_ms   INTEGER NOT NULL,
	updated_ms   INTEGER NOT NULL, -- tells two versions apart
	since_ms     INTEGER NOT NULL, -- what was over by then is not told
	paused_ms    INTEGER,          -- NULL = at work
	fault        TEXT,             -- why it stopped by itself; NULL = it works, or was paused by hand
	failing_ms   INTEGER,          -- since when its tries fail; NULL = the last one did not
	held_ms      INTEGER,          -- not tried before, as the receiver asked; NULL = at once
	removed_ms   INTEGER
) STRICT;

CREATE TABLE deliveries (
	id         INTEGER PRIMARY KEY,
	message_id INTEGER NOT NULL REFERENCES messages,
	recipient  TEXT    NOT NULL,
	header_id  TEXT    NOT NULL UNIQUE,         -- Message-ID, without its brackets
	state      TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'dead')),
	queued_ms  INTEGER NOT NULL,
	next_ms    INTEGER,                         -- not tried before; while it is tried, when it may be taken up again; NULL = at once
	lease      INTEGER NOT NULL DEFAULT 0,      -- counts who took it up: only the last one may say how it went
	tries      INTEGER NOT NULL DEFAULT 0,
	ended_ms   INTEGER,
	answer     TEXT                             -- of the mail server, or what else went wrong
, channel_id INTEGER REFERENCES channels, posted INTEGER NOT NULL DEFAULT 0 CHECK (posted IN (0, 1))) STRICT;

CREATE TABLE facts (
	subscription_id INTEGER NOT NULL REFERENCES subscriptions,
	key             TEXT    NOT NULL,
	words           TEXT    NOT NULL,           -- as they are told
	page            TEXT    NOT NULL,           -- path that shows it
	seen_ms         INTEGER NOT NULL,
	lasting_ms      INTEGER,                    -- when it had lasted for long enough to be told
	message_id      INTEGER REFERENCES messages, detail TEXT, -- that told it
	PRIMARY KEY (subscription_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE commission_blocks (
	kind       TEXT    NOT NULL, -- what the lines are by: 'uid' or 'symbol'
	span       TEXT    NOT NULL, -- 'day', 'week' (from Monday), 'month' or 'year'
	day        TEXT    NOT NULL, -- the first reporting day of the block
	account_id INTEGER NOT NULL REFERENCES accounts,
	shard      INTEGER NOT NULL, -- lines of one UID stand in the same shard of each block
	names      INTEGER NOT NULL, -- how many UIDs or symbols have a line
	lines      BLOB    NOT NULL,
	PRIMARY KEY (kind, span, day, account_id, shard)
) STRICT;

CREATE TABLE commission_bounds (
	last_deal_ms  INTEGER NOT NULL,
	first_id      INTEGER NOT NULL,
	last_id       INTEGER NOT NULL,
	first_deal_ms INTEGER NOT NULL,
	least_taker_amount    TEXT NOT NULL, -- '', not given, is less than any number
	greatest_taker_amount TEXT NOT NULL,
	least_maker_amount    TEXT NOT NULL,
	greatest_maker_amount TEXT NOT NULL,
	least_fee             TEXT NOT NULL,
	greatest_fee          TEXT NOT NULL,
	least_rate            TEXT NOT NULL,
	greatest_rate         TEXT NOT NULL,
	least_commission      TEXT NOT NULL,
	greatest_commission   TEXT NOT NULL,
	PRIMARY KEY (last_deal_ms, first_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE commission_changes (
	day        TEXT    NOT NULL PRIMARY KEY,
	changed_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
	name     TEXT    PRIMARY KEY,        -- collector, mail, backup or trading; process/… = a process that sends orders lives
	holder   TEXT    NOT NULL,           -- the node and a part of the process; '' = nobody
	number   INTEGER NOT NULL,           -- grows with each change of the holder; its writes are checked by it
	since_ms INTEGER NOT NULL,
	until_ms INTEGER NOT NULL,           -- it ends then, unless it is renewed
	busy     INTEGER NOT NULL,           -- 0 = between two pieces of work: a command may take it
	requests INTEGER NOT NULL DEFAULT 0  -- grows with each request to the holder
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_budget (
	id        INTEGER PRIMARY KEY CHECK (id = 1),
	version   INTEGER NOT NULL, -- grows with each change
	state     TEXT    NOT NULL, -- JSON: weights, bans and waiting calls, by the clock of the database
	server_ms INTEGER NOT NULL  -- since when the server that changed it last has lost no commit
) STRICT;

CREATE TABLE bills (
	id            INTEGER PRIMARY KEY,
	account_id    INTEGER NOT NULL REFERENCES accounts,
	wallet        TEXT    NOT NULL, -- spot or funding
	created_ms    INTEGER NOT NULL,
	bill_id       TEXT    NOT NULL,
	coin_id       TEXT    NOT NULL, -- '' = not given, as in the columns below
	coin          TEXT    NOT NULL,
	business_type TEXT    NOT NULL,
	amount        TEXT    NOT NULL, -- the change of the balance
	balance_after TEXT    NOT NULL,
	fees          TEXT    NOT NULL,
	fill_size     TEXT    NOT NULL,
	fill_value    TEXT    NOT NULL,
	opened_ms     INTEGER NOT NULL,
	closed_ms     INTEGER
) STRICT;

CREATE TABLE transfers (
	id          INTEGER PRIMARY KEY,
	account_id  INTEGER NOT NULL REFERENCES accounts,
	time_ms     INTEGER NOT NULL,
	coin        TEXT    NOT NULL,
	status      TEXT    NOT NULL,
	from_type   TEXT    NOT NULL,
	from_symbol TEXT    NOT NULL,
	to_type     TEXT    NOT NULL,
	to_symbol   TEXT    NOT NULL,
	amount      TEXT    NOT NULL,
	opened_ms   INTEGER NOT NULL,
	closed_ms   INTEGER
) STRICT;

CREATE TABLE refused_streams (
	account_id INTEGER NOT NULL REFERENCES accounts,
	stream     TEXT    NOT NULL,
	since_ms   INTEGER NOT NULL, -- when it was first refused
	last_ms    INTEGER NOT NULL, -- when it was last refused
	error      TEXT    NOT NULL, -- of the exchange
	first_day  TEXT,             -- the first UTC day that it gives; NULL = it gives none, as the key may not read them
	PRIMARY KEY (account_id, stream)
) STRICT, WITHOUT ROWID;

CREATE TABLE commission_hours (
	account_id INTEGER NOT NULL REFERENCES accounts,
	day        TEXT    NOT NULL, -- a UTC day
	coin       TEXT    NOT NULL,
	source     TEXT    NOT NULL,
	sums       TEXT    NOT NULL, -- by hour, with spaces between
	PRIMARY KEY (account_id, day, coin, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE payout_rules (
	id             INTEGER PRIMARY KEY,
	account_id     INTEGER REFERENCES accounts, -- NULL = every account
	first_day      TEXT    NOT NULL, -- UTC day of the first period under the rule
	rule           TEXT    NOT NULL, -- as in the setting PAYOUT_RULE; auto = found in the data
	actor          TEXT    NOT NULL,
	created_ms     INTEGER NOT NULL,
	removed_ms     INTEGER
) STRICT;

CREATE TABLE payment_notes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	coin       TEXT    NOT NULL,
	kind       TEXT    NOT NULL, -- direct, sub or all
	from_ms    INTEGER NOT NULL, -- of the period; of a bill without a period: when it was written
	to_ms      INTEGER NOT NULL,
	bill       TEXT    NOT NULL, -- wallet and id of a bill without a period; '' = a period
	verdict    TEXT    NOT NULL CHECK (verdict IN ('', 'disputed', 'accepted', 'open')), -- '' = the note says nothing of it
	text       TEXT    NOT NULL,
	author     TEXT    NOT NULL,
	created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE goals (
	id         INTEGER PRIMARY KEY,
	month      TEXT    NOT NULL,             -- its first day
	account_id INTEGER REFERENCES accounts,  -- NULL = every account
	coin       TEXT    NOT NULL,             -- '' = all coins, converted
	code       TEXT    NOT NULL,             -- '' = all invite codes
	tag        TEXT    NOT NULL,             -- '' = all invitees
	amount     TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                       -- NULL = in force
, segment TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE terms (
	id         INTEGER PRIMARY KEY,
	account    TEXT    NOT NULL,             -- its name; '' = every account
	scope      TEXT    NOT NULL CHECK (scope IN ('all', 'code', 'uid', 'sub-affiliate')),
	value      TEXT    NOT NULL,             -- the invite code or the UID; '' = all of the scope
	product    TEXT    NOT NULL,             -- '' = both
	source     TEXT    NOT NULL,             -- '' = both
	tier_by    TEXT    NOT NULL CHECK (tier_by IN ('', 'volume', 'active_traders')), -- '' = no tier
	tier_from  TEXT    NOT NULL,             -- without needless zeros; '' = no tier
	rate       TEXT    NOT NULL,             -- a fraction
	first_day  TEXT    NOT NULL,
	last_day   TEXT,                         -- NULL = until further notice
	note       TEXT    NOT NULL,
	reference  TEXT    NOT NULL,             -- a URL or the name of a document
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_by TEXT    NOT NULL,             -- '' = in force
	removed_ms INTEGER                       -- NULL = in force
, coin TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE signing_keys (
	id         INTEGER PRIMARY KEY,
	public_key BLOB    NOT NULL, -- Ed25519, 32 bytes
	sealed     BLOB    NOT NULL, -- its secret, sealed for this public key
	created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE closings (
	id           INTEGER PRIMARY KEY,
	month        TEXT    NOT NULL,  -- its first day
	zone         TEXT    NOT NULL,  -- of its days
	known_ms     INTEGER NOT NULL,  -- the figures are as of this instant: the stamp of the newest write before
	closed_ms    INTEGER NOT NULL,  -- stamp of its own write
	actor        TEXT    NOT NULL,
	complete     INTEGER NOT NULL CHECK (complete IN (0, 1)),
	proof        TEXT    NOT NULL,  -- why it was complete, or what was missing; one sentence per line
	reason       TEXT,              -- why it was closed incomplete, or a note; NULL = none
	reopened_ms  INTEGER,           -- NULL = in force
	reopened_by  TEXT,
	reopened_why TEXT
, payout_rule TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE closing_sums (
	closing_id   INTEGER NOT NULL REFERENCES closings,
	account      TEXT    NOT NULL,
	product      TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	records      INTEGER NOT NULL,
	fee          TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	PRIMARY KEY (closing_id, account, product, coin, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE closing_coverage (
	closing_id INTEGER NOT NULL REFERENCES closings,
	account    TEXT    NOT NULL,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL,  -- '' = the stream has none
	days       INTEGER NOT NULL,
	collected  INTEGER NOT NULL,
	settled    INTEGER NOT NULL,  -- of these, read after the exchange had stopped changing them
	verified   INTEGER NOT NULL,  -- of these, found the same by two readings in a row
	failed     INTEGER NOT NULL,
	missing    INTEGER NOT NULL,
	beyond     INTEGER NOT NULL,  -- the exchange does not give them
	read_ms    INTEGER,           -- when its newest reading began; NULL = none
	PRIMARY KEY (closing_id, account, stream, product)
) STRICT, WITHOUT ROWID;

CREATE TABLE closing_payments (
	closing_id INTEGER NOT NULL REFERENCES closings,
	number     INTEGER NOT NULL,  -- 1, 2, 3
	account    TEXT    NOT NULL,
	coin       TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	from_ms    INTEGER NOT NULL,
	to_ms      INTEGER NOT NULL,
	bill       TEXT    NOT NULL,  -- of a payment without a period; '' = it has a period
	state      TEXT    NOT NULL,
	earned     TEXT    NOT NULL,
	paid       TEXT    NOT NULL,
	difference TEXT    NOT NULL,
	PRIMARY KEY (closing_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE closing_findings (
	closing_id INTEGER NOT NULL REFERENCES closings,
	number     INTEGER NOT NULL,  -- 1, 2, 3
	kind       TEXT    NOT NULL,
	account    TEXT    NOT NULL,  -- '' = all
	coin       TEXT    NOT NULL,
	records    INTEGER NOT NULL,
	amount     TEXT    NOT NULL,  -- what happened less what was due
	words      TEXT    NOT NULL,
	PRIMARY KEY (closing_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_months (
	message_id INTEGER NOT NULL REFERENCES messages,
	month      TEXT    NOT NULL,  -- its first day
	until_ms   INTEGER NOT NULL,
	PRIMARY KEY (message_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE slice_answers (
	slice_id          INTEGER PRIMARY KEY REFERENCES slices,
	fingerprint       BLOB    NOT NULL, -- SHA-256 over the bodies, each after its length in 64 bits, big-endian
	answers           INTEGER NOT NULL,
	bytes             INTEGER NOT NULL, -- of the bodies
	request           TEXT    NOT NULL, -- the first one
	first_ms          INTEGER NOT NULL, -- when the first answer had arrived, by our clock
	last_ms           INTEGER NOT NULL,
	exchange_first_ms INTEGER,          -- by the exchange's clock; NULL = not said
	exchange_last_ms  INTEGER
) STRICT;

CREATE TABLE kept_answers (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_answers,
	requests BLOB    NOT NULL, -- a line of JSON for each answer, compressed by zstd
	size     INTEGER NOT NULL, -- of both, compressed
	kept_ms  INTEGER NOT NULL,
	until_ms INTEGER NOT NULL, -- when it is to be deleted
	bodies   BLOB    NOT NULL  -- what the fingerprint is of, compressed by zstd
) STRICT;

CREATE TABLE statements (
	id           INTEGER PRIMARY KEY,
	sequence     INTEGER NOT NULL UNIQUE,          -- 1, 2, 3 without a gap
	number       TEXT    NOT NULL UNIQUE,          -- 2026-09-0001: its month and the sequence
	month        TEXT    NOT NULL,                 -- its first UTC day
	uid          TEXT    NOT NULL,                 -- of the sub-affiliate
	name         TEXT    NOT NULL,                 -- of the payee; '' = none was kept
	due          TEXT    NOT NULL,                 -- our share
	difference   TEXT    NOT NULL,                 -- to the statement that it corrects; due without one
	incomplete   TEXT    NOT NULL,                 -- why it was issued although something was missing; '' = nothing was
	corrects_id  INTEGER UNIQUE REFERENCES statements,
	as_of_ms     INTEGER NOT NULL,                 -- the rows are those of this instant
	issued_ms    INTEGER NOT NULL,
	actor        TEXT    NOT NULL,
	content      TEXT    NOT NULL,                 -- what is printed, as JSON
	pdf          BLOB    NOT NULL,
	xlsx         BLOB    NOT NULL
) STRICT;

CREATE TABLE statement_payments (
	id           INTEGER PRIMARY KEY,
	statement_id INTEGER NOT NULL REFERENCES statements,
	day          TEXT    NOT NULL,
	reference    TEXT    NOT NULL,
	actor        TEXT    NOT NULL,
	created_ms   INTEGER NOT NULL,
	removed_by   TEXT    NOT NULL,                 -- '' = in force
	removed_ms   INTEGER                           -- NULL = in force
) STRICT;

CREATE TABLE payees (
	uid        TEXT    PRIMARY KEY NOT NULL,
	name       TEXT    NOT NULL,                   -- '' = not known, as in the columns below
	address    TEXT    NOT NULL,                   -- several lines
	email      TEXT    NOT NULL,
	payment    TEXT    NOT NULL,                   -- where to pay, several lines
	actor      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
	uid         TEXT    PRIMARY KEY NOT NULL,
	name        TEXT    NOT NULL, -- '' = none, as in the columns below
	folded      TEXT    NOT NULL, -- the name without letter case, for the search
	invite_code TEXT    NOT NULL, -- ours; it counts where the exchange tells none
	owner       TEXT    NOT NULL,
	cost        TEXT    NOT NULL,
	cost_coin   TEXT    NOT NULL,
	note        TEXT    NOT NULL,
	changed_ms  INTEGER NOT NULL,
	changed_by  TEXT    NOT NULL
, phone TEXT NOT NULL DEFAULT '', email TEXT NOT NULL DEFAULT '', telegram TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;

CREATE TABLE people_tags (
	folded     TEXT    NOT NULL, -- has no letter case: "VIP" and "vip" are one tag
	uid        TEXT    NOT NULL,
	tag        TEXT    NOT NULL, -- as it was written when it was first used
	created_ms INTEGER NOT NULL,
	PRIMARY KEY (folded, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE people_changes (
	id        INTEGER PRIMARY KEY,
	uid       TEXT    NOT NULL,
	seen_ms   INTEGER NOT NULL,
	field     TEXT    NOT NULL,
	was       TEXT    NOT NULL,
	became    TEXT    NOT NULL,
	actor     TEXT    NOT NULL,
	import_id INTEGER NOT NULL  -- 0 = not by an import
) STRICT;

CREATE TABLE people_imports (
	id          INTEGER PRIMARY KEY,
	imported_ms INTEGER NOT NULL,
	actor       TEXT    NOT NULL,
	file        TEXT    NOT NULL, -- its name
	added       INTEGER NOT NULL, -- people of whom nothing was kept before
	changed     INTEGER NOT NULL,
	unchanged   INTEGER NOT NULL,
	unknown     INTEGER NOT NULL, -- of these, UIDs that no record and no list had
	undone_ms   INTEGER NOT NULL, -- 0 = in force
	undone_by   TEXT    NOT NULL,
	kept        INTEGER NOT NULL  -- values that the undoing left, since they had been changed again
, kind TEXT NOT NULL DEFAULT 'people') STRICT;

CREATE TABLE people_drafts (
	token       TEXT    PRIMARY KEY NOT NULL,
	created_ms  INTEGER NOT NULL,
	actor       TEXT    NOT NULL,
	file        TEXT    NOT NULL, -- its name
	content     BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE worklist_acts (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	uid        TEXT    NOT NULL,
	kind       TEXT    NOT NULL CHECK (kind IN ('done', 'dismissed', 'snoozed', 'planned', 'assigned')),
	reasons    TEXT    NOT NULL,  -- of done and dismissed: "silent 2026-09-01", with the day it began, a line each; '' = of others
	day        TEXT,              -- snoozed until, or planned for; NULL = of others
	owner      TEXT    NOT NULL,  -- assigned to; '' = to nobody, or of others
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	undone_by  TEXT    NOT NULL,  -- '' = in force
	undone_ms  INTEGER            -- NULL = in force
) STRICT;

CREATE TABLE segments (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL,
	folded     TEXT    NOT NULL, -- the name without letter case
	definition TEXT    NOT NULL, -- a query string
	frozen_day TEXT,             -- the day on which its members were kept; NULL = they change as facts do
	members    TEXT    NOT NULL, -- of a frozen one: a JSON list of lists of account and UID; otherwise ''
	created_ms INTEGER NOT NULL,
	created_by TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL, -- tells two versions apart
	updated_by TEXT    NOT NULL,
	removed_ms INTEGER           -- NULL = in use
) STRICT;

CREATE TABLE annotations (
	id         INTEGER PRIMARY KEY,
	first_day  TEXT    NOT NULL,
	last_day   TEXT    NOT NULL,
	account_id INTEGER REFERENCES accounts,  -- NULL = every account
	code       TEXT    NOT NULL,             -- '' = all invite codes
	words      TEXT    NOT NULL,
	author     TEXT    NOT NULL,             -- who wrote it first
	actor      TEXT    NOT NULL,             -- who wrote it in this form
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                       -- NULL = in force
) STRICT;

CREATE TABLE costs (
	id         INTEGER PRIMARY KEY,
	scope      TEXT    NOT NULL CHECK (scope IN ('code', 'tag', 'segment')),
	value      TEXT    NOT NULL, -- the code, the tag, or the name of the segment
	folded     TEXT    NOT NULL, -- the value without letter case
	kind       TEXT    NOT NULL CHECK (kind IN ('once', 'monthly', 'per_registration', 'per_first_trade')),
	amount     TEXT    NOT NULL, -- exact
	coin       TEXT    NOT NULL,
	first_day  TEXT    NOT NULL,
	last_day   TEXT,             -- NULL = until further notice
	note       TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER           -- NULL = in force
) STRICT;

CREATE TABLE dispatches (
	id             INTEGER PRIMARY KEY,
	name           TEXT    NOT NULL,
	kind           TEXT    NOT NULL, -- of the export
	format         TEXT    NOT NULL,
	every          TEXT    NOT NULL CHECK (every IN ('day', 'week', 'month')),
	hour           INTEGER NOT NULL,
	minute         INTEGER NOT NULL,
	content        TEXT    NOT NULL CHECK (content IN ('period', 'whole', 'incremental')),
	filters        TEXT    NOT NULL, -- a query string
	destination    TEXT    NOT NULL, -- a URL without secrets
	deadline_hours INTEGER NOT NULL,
	after_day      TEXT    NOT NULL, -- only periods that end later are delivered
	failures       INTEGER NOT NULL, -- tries that failed since the last one that did not
	next_ms        INTEGER,          -- of the next try after a failure
	paused_ms      INTEGER,
	created_ms     INTEGER NOT NULL,
	updated_ms     INTEGER NOT NULL,
	removed_ms     INTEGER
) STRICT;

CREATE TABLE shipments (
	id          INTEGER PRIMARY KEY,
	dispatch_id INTEGER NOT NULL REFERENCES dispatches (id),
	first_day   TEXT    NOT NULL, -- of the period
	last_day    TEXT    NOT NULL,
	number      INTEGER NOT NULL, -- of the deliveries of one period, from 1
	state       TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'incomplete', 'skipped')),
	forced      INTEGER NOT NULL, -- 1 = it waits for no coverage
	queued_ms   INTEGER NOT NULL,
	lease       INTEGER NOT NULL,
	leased_ms   INTEGER,          -- until when it is being sent
	tries       INTEGER NOT NULL,
	as_of_ms    INTEGER,          -- the state that the file has
	since_ms    INTEGER,          -- of changes: since when they became known
	complete    INTEGER NOT NULL, -- 1 = that state has the whole range
	ended_ms    INTEGER,
	file        TEXT,
	bytes       INTEGER,
	row_count   INTEGER,
	sums        TEXT,             -- JSON, as in the manifest
	sha256      TEXT,
	answer      TEXT              -- the last error, or why it was skipped
) STRICT;

CREATE TABLE markets (
	id         INTEGER PRIMARY KEY,
	venue      TEXT    NOT NULL, -- host of the exchange
	pair       TEXT    NOT NULL,
	written_ms INTEGER NOT NULL, -- last write; changed first, so that two nodes write one after the other
	UNIQUE (venue, pair)
) STRICT;

CREATE TABLE market_trades (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	trade_id  TEXT    NOT NULL, -- of the exchange
	time_ms   INTEGER NOT NULL,
	price     TEXT    NOT NULL, -- exact
	quantity  TEXT    NOT NULL, -- exact, in base currency
	side      TEXT    NOT NULL CHECK (side IN ('', 'buy', 'sell')), tie INTEGER NOT NULL DEFAULT 0, -- of the order that took; '' = unknown
	PRIMARY KEY (market_id, trade_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_prices (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	time_ms   INTEGER NOT NULL, -- of the ticker
	price     TEXT    NOT NULL, -- exact
	PRIMARY KEY (market_id, time_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_minutes (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	minute_ms INTEGER NOT NULL, -- its start
	open      TEXT    NOT NULL, -- exact, as all amounts here
	high      TEXT    NOT NULL,
	low       TEXT    NOT NULL,
	close     TEXT    NOT NULL,
	volume    TEXT,             -- in base currency; NULL = made of prices, not of trades
	trades    INTEGER NOT NULL, -- or prices
	PRIMARY KEY (market_id, minute_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_stretches (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	from_ms   INTEGER NOT NULL,
	to_ms     INTEGER NOT NULL,
	asked_ms  INTEGER NOT NULL,
	PRIMARY KEY (market_id, from_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel_facts (
	channel_id INTEGER NOT NULL REFERENCES channels,
	key        TEXT    NOT NULL,
	words      TEXT    NOT NULL,
	page       TEXT    NOT NULL,
	detail     TEXT,
	seen_ms    INTEGER NOT NULL,
	lasting_ms INTEGER,
	message_id INTEGER REFERENCES messages,
	PRIMARY KEY (channel_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE asked_pairs (
	account  TEXT    NOT NULL, -- its name
	pair     TEXT    NOT NULL,
	asked_ms INTEGER NOT NULL, -- last time
	PRIMARY KEY (account, pair)
) STRICT, WITHOUT ROWID;

CREATE TABLE preferences (
	owner      TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL,
	PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE setup_marks (
	name       TEXT    PRIMARY KEY,
	value      TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL, -- '' where the stream has none
	day        TEXT    NOT NULL, -- UTC
	field      TEXT    NOT NULL, -- '' = the whole is no record
	value      TEXT    NOT NULL, -- of the field as received, shortened; '' = not given
	reason     TEXT    NOT NULL,
	record     TEXT    NOT NULL, -- as received, shortened
	copies     INTEGER NOT NULL CHECK (copies > 0),
	spared     INTEGER NOT NULL CHECK (spared IN (0, 1)),
	opened_ms  INTEGER NOT NULL,
	closed_ms  INTEGER           -- when a reading no longer had it; NULL = it is still so
) STRICT;

CREATE TABLE kept (
	id         INTEGER PRIMARY KEY,
	kind       TEXT    NOT NULL,            -- what a row is: "budget"
	account_id INTEGER REFERENCES accounts, -- NULL = every account
	fields     TEXT    NOT NULL,            -- a JSON object; amounts and days are texts
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                      -- NULL = in force
) STRICT;

CREATE TABLE mail_server (
	id         INTEGER PRIMARY KEY CHECK (id = 1),
	host       TEXT    NOT NULL,
	port       INTEGER NOT NULL,
	security   TEXT    NOT NULL CHECK (security IN ('tls', 'mandatory', 'opportunistic', 'none')),
	username   TEXT    NOT NULL, -- '' = no sign-in
	password   BLOB    NOT NULL, -- x'' = no sign-in
	sender     TEXT    NOT NULL,
	hello      TEXT    NOT NULL, -- name in EHLO; '' = that of the pages or of the sender
	updated_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE imported_prices (
	id         INTEGER PRIMARY KEY,
	import_id  INTEGER NOT NULL, -- of people_imports
	coin       TEXT    NOT NULL,
	day        TEXT    NOT NULL, -- of the reporting zone
	price      TEXT    NOT NULL, -- of one coin, in USDT
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER           -- NULL = in force
) STRICT;

CREATE TABLE commission_imports (
	import_id  INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	first_day  TEXT    NOT NULL, -- UTC
	last_day   TEXT    NOT NULL, -- UTC
	stamp_ms   INTEGER NOT NULL  -- of the write, as in rows
) STRICT;

CREATE TABLE totals (
	account_id      INTEGER NOT NULL REFERENCES accounts,
	uid             TEXT    NOT NULL,
	first_ms        INTEGER NOT NULL, -- when these figures were first read, by the exchange's clock
	last_ms         INTEGER NOT NULL, -- and last
	commission      TEXT    NOT NULL, -- '' = not said, as in the columns below
	fee             TEXT    NOT NULL,
	volume          TEXT    NOT NULL,
	most_commission TEXT    NOT NULL, -- the highest so far, from which what is added is counted
	most_fee        TEXT    NOT NULL,
	most_volume     TEXT    NOT NULL,
	PRIMARY KEY (account_id, uid, first_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	started_ms INTEGER NOT NULL, -- by the exchange's clock
	complete   INTEGER NOT NULL CHECK (complete IN (0, 1)) -- 0 = it broke off
) STRICT;

CREATE INDEX commissions_by_time ON commissions (deal_time_ms, account_id, product);

CREATE INDEX commissions_by_uid  ON commissions (uid, deal_time_ms);

CREATE INDEX invitees_by_register ON invitees (register_ms);

CREATE INDEX invitees_by_code     ON invitees (invite_code);

CREATE INDEX invitee_changes_by_uid ON invitee_changes (account_id, uid, seen_ms);

CREATE INDEX sub_affiliate_days_by_date ON sub_affiliate_days (date, account_id, product);

CREATE INDEX sub_affiliate_days_by_uid  ON sub_affiliate_days (uid, date);

CREATE INDEX runs_by_account ON runs (account_id, started_ms);

CREATE INDEX slices_by_run ON slices (run_id);

CREATE INDEX slices_by_stream ON slices (stream, ended_ms);

CREATE UNIQUE INDEX saved_views_default ON saved_views (owner, path) WHERE is_default = 1;

CREATE INDEX invitee_notes_by_uid ON invitee_notes (account_id, uid, id);

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE INDEX devices_by_user ON devices (user_id, used_ms);

CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE INDEX throttles_by_last ON throttles (last_ms);

CREATE INDEX audit_by_time   ON audit (at_ms);

CREATE INDEX audit_by_actor  ON audit (actor);

CREATE INDEX audit_by_action ON audit (action);

CREATE TRIGGER audit_keep BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are never changed'); END;

CREATE TRIGGER audit_keep_all BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are never deleted'); END;

CREATE TRIGGER audit_in_line BEFORE INSERT ON audit
WHEN NEW.id IS NOT (SELECT rows + 1 FROM audit_head)
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are added at its end only'); END;

CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head
WHEN NEW.rows <> OLD.rows + 1 OR NEW.id <> OLD.id OR NEW.key_id <> OLD.key_id
BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;

CREATE TRIGGER audit_head_keep BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log is never deleted'); END;

CREATE TRIGGER audit_head_once BEFORE INSERT ON audit_head
WHEN EXISTS (SELECT 1 FROM audit_head)
BEGIN SELECT RAISE(ABORT, 'the audit log has one head'); END;

CREATE INDEX intents_by_time ON intents (made_ms);

CREATE INDEX intent_orders_unsettled ON intent_orders (state) WHERE state IN ('sending', 'unknown');

CREATE INDEX intent_orders_by_client ON intent_orders (client_id);

CREATE UNIQUE INDEX messages_once ON messages (subscription_id, every, first_day) WHERE kind IN ('summary', 'partial', 'skipped');

CREATE UNIQUE INDEX messages_corrected ON messages (subscription_id, every, first_day, number) WHERE kind = 'corrected';

CREATE INDEX messages_by_subscription ON messages (subscription_id);

CREATE INDEX deliveries_waiting ON deliveries (next_ms, id) WHERE state = 'waiting';

CREATE INDEX deliveries_dead ON deliveries (ended_ms) WHERE state = 'dead';

CREATE INDEX deliveries_by_message ON deliveries (message_id);

CREATE INDEX facts_untold ON facts (subscription_id) WHERE message_id IS NULL;

CREATE INDEX intents_sent ON intents (sent_ms) WHERE sent_ms IS NOT NULL;

CREATE INDEX bills_by_time ON bills (created_ms, account_id, wallet);

CREATE INDEX bills_by_type ON bills (business_type, created_ms);

CREATE INDEX transfers_by_time ON transfers (time_ms, account_id);

CREATE INDEX payment_notes_by_line ON payment_notes (account_id, coin, kind, from_ms, to_ms);

CREATE UNIQUE INDEX terms_in_force ON terms (account, scope, value, product, source, tier_by, tier_from, first_day) WHERE removed_ms IS NULL;

CREATE UNIQUE INDEX closings_in_force ON closings (month) WHERE reopened_ms IS NULL;

CREATE TRIGGER closings_keep BEFORE UPDATE ON closings
WHEN OLD.reopened_ms IS NOT NULL OR NEW.reopened_ms IS NULL OR NEW.id <> OLD.id OR NEW.month <> OLD.month OR NEW.zone <> OLD.zone
	OR NEW.known_ms <> OLD.known_ms OR NEW.closed_ms <> OLD.closed_ms OR NEW.actor <> OLD.actor OR NEW.complete <> OLD.complete
	OR NEW.proof <> OLD.proof OR coalesce(NEW.reason, '') <> coalesce(OLD.reason, '')
BEGIN SELECT RAISE(ABORT, 'a closing can only be reopened, once'); END;

CREATE TRIGGER closings_keep_all BEFORE DELETE ON closings
BEGIN SELECT RAISE(ABORT, 'closings are never deleted'); END;

CREATE TRIGGER closing_sums_keep BEFORE UPDATE ON closing_sums
BEGIN SELECT RAISE(ABORT, 'the sums of a closing are never changed'); END;

CREATE TRIGGER closing_sums_keep_all BEFORE DELETE ON closing_sums
BEGIN SELECT RAISE(ABORT, 'the sums of a closing are never deleted'); END;

CREATE TRIGGER closing_coverage_keep BEFORE UPDATE ON closing_coverage
BEGIN SELECT RAISE(ABORT, 'the coverage of a closing is never changed'); END;

CREATE TRIGGER closing_coverage_keep_all BEFORE DELETE ON closing_coverage
BEGIN SELECT RAISE(ABORT, 'the coverage of a closing is never deleted'); END;

CREATE TRIGGER closing_payments_keep BEFORE UPDATE ON closing_payments
BEGIN SELECT RAISE(ABORT, 'the payments of a closing are never changed'); END;

CREATE TRIGGER closing_payments_keep_all BEFORE DELETE ON closing_payments
BEGIN SELECT RAISE(ABORT, 'the payments of a closing are never deleted'); END;

CREATE TRIGGER closing_findings_keep BEFORE UPDATE ON closing_findings
BEGIN SELECT RAISE(ABORT, 'the findings of a closing are never changed'); END;

CREATE TRIGGER closing_findings_keep_all BEFORE DELETE ON closing_findings
BEGIN SELECT RAISE(ABORT, 'the findings of a closing are never deleted'); END;

CREATE INDEX kept_answers_by_until ON kept_answers (until_ms);

CREATE INDEX kept_answers_by_time ON kept_answers (kept_ms);

CREATE UNIQUE INDEX statements_once ON statements (uid, month) WHERE corrects_id IS NULL;

CREATE INDEX statements_by_month ON statements (month, uid);

CREATE TRIGGER statements_keep BEFORE UPDATE ON statements
BEGIN SELECT RAISE(ABORT, 'statements are never changed'); END;

CREATE TRIGGER statements_keep_all BEFORE DELETE ON statements
BEGIN SELECT RAISE(ABORT, 'statements are never deleted'); END;

CREATE UNIQUE INDEX statement_payments_in_force ON statement_payments (statement_id) WHERE removed_ms IS NULL;

CREATE INDEX messages_by_scope ON messages (scope);

CREATE INDEX commissions_without_amount ON commissions (deal_time_ms) WHERE fee = '' OR commission = '';

CREATE TRIGGER closings_keep_rule BEFORE UPDATE ON closings WHEN NEW.payout_rule <> OLD.payout_rule
BEGIN SELECT RAISE(ABORT, 'a closing can only be reopened, once'); END;

CREATE INDEX people_tags_by_uid ON people_tags (uid);

CREATE INDEX people_changes_by_uid ON people_changes (uid, seen_ms);

CREATE INDEX people_changes_by_import ON people_changes (import_id) WHERE import_id > 0;

CREATE INDEX worklist_acts_by_uid ON worklist_acts (account_id, uid, id);

CREATE INDEX worklist_acts_by_time ON worklist_acts (created_ms);

CREATE UNIQUE INDEX segments_by_name ON segments (folded) WHERE removed_ms IS NULL;

CREATE UNIQUE INDEX goals_in_force ON goals (month, coalesce(account_id, 0), coin, code, tag, segment) WHERE removed_ms IS NULL;

CREATE INDEX annotations_by_day ON annotations (first_day, last_day);

CREATE INDEX costs_in_force ON costs (scope, folded, kind) WHERE removed_ms IS NULL;

CREATE UNIQUE INDEX shipments_of_period ON shipments (dispatch_id, last_day, number);

CREATE INDEX shipments_waiting ON shipments (dispatch_id) WHERE state = 'waiting';

CREATE INDEX market_trades_by_time ON market_trades (market_id, time_ms);

CREATE UNIQUE INDEX channels_by_name ON channels (name) WHERE removed_ms IS NULL;

CREATE INDEX deliveries_by_channel ON deliveries (channel_id, id) WHERE channel_id IS NOT NULL;

CREATE INDEX deliveries_to_post ON deliveries (channel_id, next_ms, id) WHERE state = 'waiting' AND posted = 1;

CREATE INDEX quarantine_open ON quarantine (account_id, stream, product, day) WHERE closed_ms IS NULL;

CREATE UNIQUE INDEX subscriptions_by_name ON subscriptions (kind, name) WHERE removed_ms IS NULL;

CREATE INDEX kept_in_force ON kept (kind) WHERE removed_ms IS NULL;

CREATE UNIQUE INDEX imported_prices_in_force ON imported_prices (coin, day) WHERE removed_ms IS NULL;

CREATE INDEX imported_prices_by_coin ON imported_prices (coin, day);

CREATE INDEX readings_by_account ON readings (account_id, complete, started_ms);

INSERT INTO meta (id, zone, last_write_ms, codes_ms, bounded, rolled_ms, invitees_ms, hours_ms, people_ms, names_hidden, aside_ms, reported_ms) VALUES (1, '', 0, 0, 1, 0, 0, -1, 0, 0, 0, 0);

