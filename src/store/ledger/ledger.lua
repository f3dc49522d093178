-- The ledger of one partition: the challenges and tokens that were consumed. docs/design/single-use.md has the argument.
-- Redis runs a script atomically.
--
-- KEYS[1] is the generation hash: id (g), the server's identity (r), schema (v), when a bucket that had ended was last removed (h),
-- time of creation (c), number of registered buckets (n), serial (s: how many entries were ever written), and a field for each
-- bucket: its key and the number of its entries.
-- ARGV[1] is the verb; ARGV[2] is a fresh random id, in case a new generation begins; ARGV[3] and ARGV[4] are what the caller
-- remembers, if anything: a generation and the highest serial that it was answered in it.
--
-- consume: KEYS[2] the bucket; ARGV[5..9] attempt, the token's generation, its expiry (ms), its id, the end of the bucket (ms).
--   {'first' | 'again' | 'taken' | 'stale' | 'expired', generation in force, serial}
-- poll: ARGV[5] 'maintain' to try a write and to list buckets to remove.
--   {'gen', generation in force, serial, when it began (ms), thousandths of maxmemory in use or '', maxmemory-policy or '',
--   now (ms), why it is too full to write or '', keys of at most 100 buckets to remove ...}
-- remove: KEYS[2..] the buckets. Returns how many were removed.
--
-- All but the last may also return {'noid', ''}: the server hides its identity, or {'schema', the one found}. At a replica
-- each is the error READONLY.

local SCHEMA = '1'
-- Entries are removed a bucket at a time. A change of the width needs a new schema: all must agree on the bucket of an entry.
local BUCKET_MS = 10000
-- How far a clock may be set back without a new generation; buckets are kept that much longer.
local SETBACK_MS = 30000
-- Fields of the generation hash that are no buckets.
local OWN_FIELDS = 7
-- Buckets that a poll lists for removal.
local MOST_BUCKETS = 100
-- How long after its end Redis expires a bucket that no instance removed. Nothing depends on it.
local TIDY_MS = 86400000

local hash, verb, fresh = KEYS[1], ARGV[1], ARGV[2]
local whole = function(number) return string.format('%.0f', number) end

-- A different master_replid means that the server was restarted or promoted, or is another one.
local replication = redis.call('INFO', 'replication')
local replid = string.match(replication, 'master_replid:(%x+)')
if not replid then return {'noid', ''} end
-- A replica has the identity of its primary. One that accepts writes (replica-read-only no) would consume a token again.
-- The answer is Redis' own to a write at a replica.
if not string.find(replication, 'role:master', 1, true) then
  return redis.error_reply('READONLY Redis is a replica, whose entries its primary does not know')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', hash, 'g', 'r', 'v', 'h', 's')
local generation, known_replid, schema = known[1], known[2], known[3]
local last_removal, serial = tonumber(known[4]), tonumber(known[5])
if generation and schema and schema ~= SCHEMA then return {'schema', schema} end
local is_complete = generation and known_replid and schema and last_removal and serial
local lost = not is_complete or known_replid ~= replid or now < last_removal - SETBACK_MS
-- A caller has seen more entries than there are: this is an older copy, under the same identity.
lost = lost or (ARGV[3] == generation and tonumber(ARGV[4]) > serial)

-- Begins a new generation if entries may be missing. The old buckets stay registered until they are removed, so their number is
-- counted again. Nothing has been removed in the new generation.
local function begin_if_lost()
  if not lost then return end
  generation, serial = fresh, 0
  redis.call('HSET', hash, 'g', fresh, 'r', replid, 'v', SCHEMA, 'h', 0, 'c', whole(now), 'n', 0, 's', 0)
  redis.call('HSET', hash, 'n', redis.call('HLEN', hash) - OWN_FIELDS)
end

-- Returns the generation in a bucket's key, and whether the bucket has ended.
local function read_key(key)
  local of, number = string.match(key, ':([%w_-]+):(%d+)$')
  return of, of and number * BUCKET_MS + SETBACK_MS <= now
end

if verb == 'poll' then
  begin_if_lost()
  local began = redis.call('HMGET', hash, 'c')[1] or ''
  local fullness, policy, full, removable = '', '', '', {}
  local memory = redis.pcall('INFO', 'memory')
  if type(memory) == 'string' then
    local used, most = string.match(memory, 'used_memory:(%d+)'), tonumber(string.match(memory, 'maxmemory:(%d+)'))
    if used and most and most > 0 then fullness = whole(used * 1000 / most) end
    policy = string.match(memory, 'maxmemory_policy:([%a-]+)') or ''
  end
  if ARGV[5] == 'maintain' then
    -- A server that cannot write would make us answer every visitor 503, and a poll writes nothing else. A full server must still
    -- remove buckets, below.
    local tried = redis.pcall('HSET', hash, 'v', SCHEMA)
    if type(tried) == 'table' and tried.err then
      if not tried.err:find('OOM', 1, true) then return tried end
      full = tried.err
    end
    for _, key in ipairs(redis.call('HKEYS', hash)) do
      local of, is_over = read_key(key)
      if of and (of ~= generation or is_over) then table.insert(removable, key) end
      if #removable == MOST_BUCKETS then break end
    end
  end
  local answer = {'gen', generation, whole(serial), began, fullness, policy, whole(now), full}
  for _, key in ipairs(removable) do table.insert(answer, key) end
  return answer
end

-- Removes buckets that have ended or are of an earlier generation. Nothing else removes a bucket, and the same call records its
-- time: if the clock is later found to have been ahead, the generation ends.
if verb == 'remove' then
  -- The next poll begins a new generation.
  if lost then return 0 end
  local removed, judged_by_time = 0, false
  for i = 2, #KEYS do
    local of, is_over = read_key(KEYS[i])
    if of and (of ~= generation or is_over) and redis.call('HDEL', hash, KEYS[i]) == 1 then
      redis.call('HINCRBY', hash, 'n', -1)
      redis.call('UNLINK', KEYS[i])
      removed = removed + 1
      -- A bucket of an earlier generation is removed whatever the time.
      judged_by_time = judged_by_time or of == generation
    end
  end
  if judged_by_time and now > last_removal then redis.call('HSET', hash, 'h', whole(now)) end
  return removed
end

local bucket, attempt, token_generation = KEYS[2], ARGV[5], ARGV[6]
local expires_at, jti, bucket_end = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
local count = redis.call('HMGET', hash, bucket)[1]

-- A bucket with a length other than its registered number has lost entries; one that is not registered must be empty, unless the
-- hash has lost fields.
if not lost and token_generation == generation and now < expires_at then
  local length = redis.call('HLEN', bucket)
  if count then
    lost = tonumber(count) ~= length
  else
    local registered = redis.call('HMGET', hash, 'n')[1]
    lost = length > 0 or redis.call('HLEN', hash) - OWN_FIELDS ~= tonumber(registered)
  end
end
begin_if_lost()
local function answer(word) return {word, generation, whole(serial)} end
if token_generation ~= generation then return answer('stale') end
-- By the server's clock: the instances may disagree.
if now >= expires_at then return answer('expired') end
if not count then
  -- The bucket may have been removed, and must not be created again.
  if bucket_end + SETBACK_MS <= last_removal then return answer('expired') end
  redis.call('HSET', hash, bucket, 0)
  redis.call('HINCRBY', hash, 'n', 1)
end
if redis.call('HSETNX', bucket, jti, attempt) == 1 then
  redis.call('HINCRBY', hash, bucket, 1)
  if not count then redis.call('PEXPIRE', bucket, whole(bucket_end - now + TIDY_MS)) end
  serial = redis.call('HINCRBY', hash, 's', 1)
  return answer('first')
end
-- The same attempt has consumed it: the first reply was lost, or the request was repeated.
if redis.call('HMGET', bucket, jti)[1] == attempt then return answer('again') end
return answer('taken')
