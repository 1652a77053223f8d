CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';
CREATE FUNCTION max(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION min(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';
CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
-- The arrays of a JSON array, as the function of SQLite gives them.
CREATE FUNCTION json_each(text, OUT value jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT jsonb_array_elements($1::jsonb)';
-- A number by its value; one that is not given, '', is less than any other.
CREATE FUNCTION decimal_key(text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT CASE WHEN $1 = '' THEN '-Infinity'::numeric ELSE $1::numeric END$$;
CREATE FUNCTION decimal_add(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT trim_scale(coalesce(nullif($1, ''), '0')::numeric + coalesce(nullif($2, ''), '0')::numeric)::text$$;
CREATE FUNCTION decimal_step(numeric, text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT $1 + coalesce(nullif($2, ''), '0')::numeric$$;
CREATE FUNCTION decimal_end(numeric) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT trim_scale($1)::text$$;
CREATE AGGREGATE decimal_sum(text) (sfunc = decimal_step, stype = numeric, initcond = '0', finalfunc = decimal_end, combinefunc = numeric_add, parallel = safe);

