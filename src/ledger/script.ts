/** What this release writes into the generation hash. An incompatible change takes another key prefix too. */
export const SCHEMA = '1'

/**
 * The whole ledger in one call: read the server's identity, move the generation if entries may be missing,
 * and only then mark. Nothing can happen in between. THREATS.md, section 2, has the measurements.
 *
 * With a window of the limiter the call takes a point of it first: one round trip for both, and a caller who is over the
 * budget consumes nothing. What hinders the limiter alone (its rights, a foreign value under its key) is told apart.
 *
 * KEYS: the generation hash; the entry (absent: only read the generation); the window (absent: not limited).
 * ARGV: attempt id, the token's generation, its expiry (ms), a fresh random id, keep until (ms), schema;
 * with a window its points and its length (s).
 *
 * @returns a word and a value: `ok`, `dup`, `stale`, `expired` or `gen` with the generation in force;
 * `schema` with the one found; `noid` when the server hides who it is; `limited` with the ms to wait; `limiter` and why.
 */
export const LEDGER_SCRIPT = `
local attempt, token_generation, expires_at = ARGV[1], ARGV[2], tonumber(ARGV[3])
local fresh, keep_until, schema = ARGV[4], tonumber(ARGV[5]), ARGV[6]

if KEYS[3] then
  redis.pcall('SET', KEYS[3], 0, 'EX', ARGV[8], 'NX')
  local taken = redis.pcall('INCRBY', KEYS[3], 1)
  if type(taken) ~= 'number' then
    -- What would hinder the ledger too is the server's own error; the rest (a right, a foreign value) is the window's.
    for word in string.gmatch('READONLY OOM MISCONF NOREPLICAS MASTERDOWN CLUSTERDOWN LOADING TRYAGAIN', '%u+') do
      if taken.err:find(word, 1, true) then return taken end
    end
    return {'limiter', taken.err}
  end
  if taken > tonumber(ARGV[7]) then return {'limited', redis.call('PTTL', KEYS[3])} end
end

-- Who answers. Another master_replid: restarted, promoted, or another server altogether.
local replid = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if not replid then return {'noid', ''} end
local evicted = string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)') or '-'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Lua would write 1.7e+12.
local now_text = string.format('%.0f', now)

-- The generation in force: id, replid, evicted, schema, the latest time seen.
local known = redis.call('HMGET', KEYS[1], 'g', 'r', 'e', 'v', 'h')
local generation = known[1]
local latest = tonumber(known[5] or '0')
if generation and known[4] ~= schema then return {'schema', known[4]} end
if (not generation) or known[2] ~= replid or known[3] ~= evicted or now < latest - 30000 then
  generation = fresh
  redis.call('HSET', KEYS[1], 'g', generation, 'r', replid, 'e', evicted, 'v', schema, 'h', now_text, 'c', now_text)
elseif now > latest + 1000 then
  redis.call('HSET', KEYS[1], 'h', now_text)
end
if #KEYS == 1 then return {'gen', generation} end

if token_generation ~= generation then return {'stale', generation} end
-- By the server's clock: the instances may disagree.
if now >= expires_at then return {'expired', generation} end
local keep_ms = string.format('%.0f', keep_until - now)
if redis.call('SET', KEYS[2], attempt, 'NX', 'PX', keep_ms) then return {'ok', generation} end
-- Ours already: the reply to our first try was lost.
if redis.call('GET', KEYS[2]) == attempt then return {'ok', generation} end
return {'dup', generation}
`

/**
 * What must hold before a Redis is trusted: its identity and its eviction policy, each empty when it may not be read.
 * A script and not a plain INFO, because a Cluster must answer from the slot of KEYS[1].
 */
export const CHECK_SCRIPT = `
local function find(section, pattern)
  local info = redis.pcall('INFO', section)
  return type(info) == 'string' and string.match(info, pattern) or ''
end
return {find('replication', 'master_replid:(%x+)'), find('memory', 'maxmemory_policy:([%a-]+)')}
`
