-- Counts a solve of each subject, once for each challenge, and returns what there is. Everything happens in one step.
--
-- KEYS: of each subject the bucket of now and the one before it; the first subject's buckets remember the challenges.
-- ARGV: 1 to add a solve, else 0; 1 if it handed in a part of the work, else 0; the challenge, '' for none; then, for each
-- subject, the milliseconds to keep its bucket of now.
--
-- Returns 1 if it was added, else 0; then of each subject solves and parts of now, solves and parts of before.
local adds, parts, challenge = ARGV[1] == '1', ARGV[2], ARGV[3]
if adds and challenge ~= '' then
  for i = 1, 2 do
    if redis.call('HMGET', KEYS[i], challenge)[1] then adds = false end
  end
end
local answer = {adds and 1 or 0}
for i = 1, #KEYS, 2 do
  if adds then
    redis.call('HINCRBY', KEYS[i], 's', 1)
    if parts == '1' then redis.call('HINCRBY', KEYS[i], 'p', 1) end
    if i == 1 and challenge ~= '' then redis.call('HSET', KEYS[i], challenge, '') end
    redis.call('PEXPIRE', KEYS[i], ARGV[3 + (i + 1) / 2])
  end
  for _, key in ipairs({KEYS[i], KEYS[i + 1]}) do
    local counts = redis.call('HMGET', key, 's', 'p')
    answer[#answer + 1] = tonumber(counts[1] or 0)
    answer[#answer + 1] = tonumber(counts[2] or 0)
  end
end
return answer
