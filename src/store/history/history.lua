-- Adds a visit's work to the counts of each subject, the narrowest first, and returns the counts.
--
-- KEYS: for each subject its current bucket and the previous one.
-- ARGV: units to add, 0 to read only; the units that were asked for if only a part was done, else 0; the most units of parts in
-- a bucket with which a part counts for the next subject; then for each subject the milliseconds to keep its current bucket, and
-- of its units those that do not count for the next subject and the most that do.
--
-- Returns for each subject the units and the units of parts of the current bucket, then those of the previous one.
-- Where the arguments of the first subject stand, and how many each has.
local FIRST, PER_SUBJECT = 4, 3

local units, part, most_parts = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local is_counted = units > 0
local answer = {}

local function shared(count, above, most)
  return math.min(math.max(count - above, 0), most)
end

for i = 1, #KEYS, 2 do
  local key, at = KEYS[i], FIRST + (i - 1) / 2 * PER_SUBJECT
  if is_counted then
    local after = redis.call('HINCRBY', key, 'u', string.format('%.0f', units))
    if part > 0 and redis.call('HINCRBY', key, 'p', part) > most_parts then part = 0 end
    redis.call('PEXPIRE', key, ARGV[at])
    local above, most = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    units = shared(after, above, most) - shared(after - units, above, most)
  end
  for _, bucket in ipairs({key, KEYS[i + 1]}) do
    local counts = redis.call('HMGET', bucket, 'u', 'p')
    answer[#answer + 1] = tonumber(counts[1] or 0)
    answer[#answer + 1] = tonumber(counts[2] or 0)
  end
end
return answer
