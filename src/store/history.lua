-- Adds a visit's work to the counts of each subject, and returns the counts.
--
-- KEYS: for each subject its current bucket and the previous one.
-- ARGV: units to add, 0 to read only; the units that were asked for if only a part was done, else 0; then for each subject the
-- milliseconds to keep its current bucket; then the most units of parts in it with which a part counts for the next subject.
--
-- Returns for each subject the units and the units of parts of the current bucket, then those of the previous one.
local units, part, answer = tonumber(ARGV[1]), tonumber(ARGV[2]), {}
for i = 1, #KEYS, 2 do
  if units > 0 then
    redis.call('HINCRBY', KEYS[i], 'u', units)
    if part > 0 and redis.call('HINCRBY', KEYS[i], 'p', part) > tonumber(ARGV[5]) then part = 0 end
    redis.call('PEXPIRE', KEYS[i], ARGV[2 + (i + 1) / 2])
  end
  for _, key in ipairs({KEYS[i], KEYS[i + 1]}) do
    local counts = redis.call('HMGET', key, 'u', 'p')
    answer[#answer + 1] = tonumber(counts[1] or 0)
    answer[#answer + 1] = tonumber(counts[2] or 0)
  end
end
return answer
