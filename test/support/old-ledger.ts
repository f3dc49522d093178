/**
 * The ledger's script of release 0.1, to the letter: Redis expires each entry by its own clock. It is the control of the
 * rows with a wrong clock, and the old instance of a rolling upgrade.
 *
 * KEYS: the generation hash; the entry (absent: only read the generation); the window (absent: not limited).
 * ARGV: attempt id, the token's generation, its expiry (ms), a fresh random id, keep until (ms), schema.
 */
export const OLD_LEDGER = `
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
