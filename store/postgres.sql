CREATE COLLATION IF NOT EXISTS nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE OR REPLACE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE OR REPLACE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';
CREATE OR REPLACE FUNCTION max(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE OR REPLACE FUNCTION min(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';
CREATE OR REPLACE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
-- The arrays of a JSON array, as the function of SQLite gives them.
CREATE OR REPLACE FUNCTION json_each(text, OUT value jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT jsonb_array_elements($1::jsonb)';
-- A member of a JSON object by its path, as in '$.name'.
CREATE OR REPLACE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1::jsonb ->> substr($2, 3)';
-- A number by its value; one that is not given, '', is less than any other.
CREATE OR REPLACE FUNCTION decimal_key(text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT CASE WHEN $1 = '' THEN '-Infinity'::numeric ELSE $1::numeric END$$;
CREATE OR REPLACE FUNCTION decimal_add(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT trim_scale(coalesce(nullif($1, ''), '0')::numeric + coalesce(nullif($2, ''), '0')::numeric)::text$$;
CREATE OR REPLACE FUNCTION decimal_step(numeric, text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT $1 + coalesce(nullif($2, ''), '0')::numeric$$;
CREATE OR REPLACE FUNCTION decimal_end(numeric) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT trim_scale($1)::text$$;
CREATE OR REPLACE AGGREGATE decimal_sum(text) (sfunc = decimal_step, stype = numeric, initcond = '0', finalfunc = decimal_end, combinefunc = numeric_add, parallel = safe);

