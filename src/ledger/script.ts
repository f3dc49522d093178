import { BUCKET_MS, SETBACK_MS } from './buckets.ts'

/** The version of the layout, written into the generation hash. An incompatible change takes another key too. */
export const SCHEMA = '1'

/** The name of the generation hash, after the prefix of its partition. */
export const GENERATION_KEY = 'gen'

/**
 * Fields of the generation hash that are no buckets: id (g), the server's identity (r), schema (v), mark (h), time of
 * creation (c), number of registered buckets (n).
 */
const OWN_FIELDS = 6

/** Milliseconds after its end until Redis itself removes a bucket that no instance removed. It decides nothing. */
const TIDY_MS = 86_400_000

/**
 * Reads who answers, the time and the generation in force. Two of them cannot change during a command, so the calls
 * of one batch read them once (`once` is of the batch: script-calls.ts).
 *
 * Another master_replid means: restarted, promoted, or another server altogether.
 */
const READ = `
local replid, now = once.replid, once.now
if not now then
  replid = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
  once.replid, once.now = replid, now
end
if not replid then return {'noid', ''} end
local known = redis.call('HMGET', KEYS[1], 'g', 'r', 'v', 'h', KEYS[2] or 'g')
local generation, mark = known[1], tonumber(known[4])
if generation and known[3] and known[3] ~= schema then return {'schema', known[3]} end
local lost = not generation or known[2] ~= replid or not known[3] or not mark or now < mark - ${SETBACK_MS}
`

/**
 * Begins a new generation when entries may be missing. The buckets of the old one stay registered until they are
 * removed, so their number is counted anew. Nothing was removed in the new history yet, so its mark is 0.
 */
const BEGIN = `
if lost then
  generation = fresh
  redis.call('HSET', KEYS[1], 'g', fresh, 'r', replid, 'v', schema, 'h', 0, 'c', string.format('%.0f', now), 'n', 0)
  redis.call('HSET', KEYS[1], 'n', redis.call('HLEN', KEYS[1]) - ${OWN_FIELDS})
end
`

/**
 * The whole ledger in one call: read the server's identity, begin a new generation if entries may be missing,
 * and only then mark. Nothing can happen in between. docs/design/single-use.md has the argument.
 *
 * An entry is a field of a bucket, and each bucket is registered in the generation hash with the number of its entries.
 * A bucket that does not hold its number has lost entries; a bucket that is not registered holds none, unless the hash
 * itself has lost fields. A bucket that was removed ends before the mark, and is never made again.
 *
 * KEYS: the generation hash; the bucket.
 * ARGV: attempt id, the token's generation, its expiry (ms), a fresh random id, the token's id, the bucket's number,
 * schema.
 *
 * @returns a word and a value: `ok`, `dup`, `stale` or `expired` with the generation in force;
 * `schema` with the one found; `noid` when the server hides who it is.
 */
export const LEDGER_SCRIPT = `
local attempt, token_generation, expires_at = ARGV[1], ARGV[2], tonumber(ARGV[3])
local fresh, jti, bucket_end, schema = ARGV[4], ARGV[5], ARGV[6] * ${BUCKET_MS}, ARGV[7]
${READ}
local count = known[5]
if not lost and token_generation == generation and now < expires_at then
  local length = redis.call('HLEN', KEYS[2])
  if count then
    lost = tonumber(count) ~= length
  else
    local registered = redis.call('HMGET', KEYS[1], 'n')[1]
    lost = length > 0 or redis.call('HLEN', KEYS[1]) - ${OWN_FIELDS} ~= tonumber(registered)
  end
end
${BEGIN}
if token_generation ~= generation then return {'stale', generation} end
-- By the server's clock: the instances may disagree.
if now >= expires_at then return {'expired', generation} end
if not count then
  -- It may have been removed.
  if bucket_end + ${SETBACK_MS} <= mark then return {'expired', generation} end
  redis.call('HSET', KEYS[1], KEYS[2], 0)
  redis.call('HINCRBY', KEYS[1], 'n', 1)
end
if redis.call('HSETNX', KEYS[2], jti, attempt) == 1 then
  redis.call('HINCRBY', KEYS[1], KEYS[2], 1)
  if not count then redis.call('PEXPIRE', KEYS[2], string.format('%.0f', bucket_end - now + ${TIDY_MS})) end
  return {'ok', generation}
end
-- Ours already: the reply to our first try was lost.
if redis.call('HMGET', KEYS[2], jti)[1] == attempt then return {'ok', generation} end
return {'dup', generation}
`

/**
 * Reads the generation in force, begins a new one if entries may be missing, and finds buckets to remove.
 *
 * KEYS: the generation hash.
 * ARGV: a fresh random id, schema, '1' to look for buckets to remove.
 *
 * @returns `gen`, the generation in force, thousandths of `maxmemory` in use or '', when the generation in force began (ms) or '', then the keys of at most 100 buckets; `schema` and `noid` as
 * above.
 */
export const POLL_SCRIPT = `
local fresh, schema = ARGV[1], ARGV[2]
${READ}
${BEGIN}
local answer = {'gen', generation, '', redis.call('HMGET', KEYS[1], 'c')[1] or ''}
local memory = redis.pcall('INFO', 'memory')
if type(memory) == 'string' then
  local used, most = string.match(memory, 'used_memory:(%d+)'), tonumber(string.match(memory, 'maxmemory:(%d+)'))
  if used and most and most > 0 then answer[3] = string.format('%.0f', used * 1000 / most) end
end
if ARGV[3] == '1' then
  for _, key in ipairs(redis.call('HKEYS', KEYS[1])) do
    local of, number = string.match(key, ':([%w_-]+):(%d+)$')
    if of and (of ~= generation or number * ${BUCKET_MS} + ${SETBACK_MS} <= now) then answer[#answer + 1] = key end
    if #answer == 104 then break end
  end
end
return answer
`

/**
 * Removes buckets that are over or of an earlier generation. Nothing else removes a bucket, and the same call records
 * the time by which it judged: if the clock is later found to have run ahead, the generation ends.
 *
 * KEYS: the generation hash; the buckets.
 * ARGV: schema.
 *
 * @returns the number of buckets that were removed.
 */
export const REMOVE_SCRIPT = `
local schema = ARGV[1]
local buckets = {unpack(KEYS, 2)}
KEYS[2] = nil
${READ}
-- The next poll begins a new generation.
if lost then return 0 end
local removed, judged = 0, false
for _, key in ipairs(buckets) do
  local of, number = string.match(key, ':([%w_-]+):(%d+)$')
  local is_over = of == generation and number * ${BUCKET_MS} + ${SETBACK_MS} <= now
  if of and (is_over or of ~= generation) and redis.call('HDEL', KEYS[1], key) == 1 then
    redis.call('HINCRBY', KEYS[1], 'n', -1)
    redis.call('UNLINK', key)
    removed, judged = removed + 1, judged or is_over
  end
end
if judged and now > mark then redis.call('HSET', KEYS[1], 'h', string.format('%.0f', now)) end
return removed
`

/**
 * Reads the server's identity and its eviction policy, each empty when it may not be read, and finds the first command
 * that the ledger needs and its user may not run, or ''. A script and not a plain INFO, because a Cluster must answer
 * from the slot of KEYS[1].
 *
 * KEYS: one that nobody uses, for trying the commands (absent: they are not tried).
 */
export const CHECK_SCRIPT = `
local function find(section, pattern)
  local info = redis.pcall('INFO', section)
  return type(info) == 'string' and string.match(info, pattern) or ''
end
local refused = ''
local function try(command, ...)
  local answer = redis.pcall(command, KEYS[1], ...)
  local says = type(answer) == 'table' and answer.err or ''
  -- The words of Redis 6, and of Redis 7.
  local forbidden = says:find('NOPERM', 1, true) or says:find("can't run", 1, true)
  if forbidden and refused == '' then refused = command end
end
if KEYS[1] then
  try('HSETNX', 'a', 1)
  try('HINCRBY', 'a', 1)
  try('HSET', 'a', 1)
  try('HMGET', 'a')
  try('HLEN')
  try('HKEYS')
  try('PEXPIRE', 1000)
  try('HDEL', 'a')
  try('UNLINK')
end
return {find('replication', 'master_replid:(%x+)'), find('memory', 'maxmemory_policy:([%a-]+)'), refused}
`
