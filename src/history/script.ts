/**
 * Counts and reads any number of subjects in one call.
 *
 * KEYS: of each subject the bucket of now and the one before.
 * ARGV: most fields of a bucket; then of each subject one text of words: milliseconds to keep it; a count of the first field
 * added and the milliseconds to keep it beyond that count; the field that says "counted already", `-` for none, `=` for
 * whatever holds of the subject before, or `=N` for that as long as its first field is at most N; how many fields to add and each
 * with its number; and the fields to read. One text in and one out, because the client takes each argument and each number
 * on its own.
 *
 * @returns numbers in one text: of each subject 1 when it was counted, else 0; then of each field read the two buckets'.
 */
export const COUNT_SCRIPT = `
local counting, reached, answer = true, 0, {}
local most = tonumber(ARGV[1])
for i = 1, #KEYS, 2 do
  local current, previous = KEYS[i], KEYS[i + 1]
  local take = string.gmatch(ARGV[(i + 3) / 2], '%S+')
  local keep_ms, above, busy_ms, once = tonumber(take()), tonumber(take()), tonumber(take()), take()
  local limit = string.match(once, '^=(%d*)')
  if not limit then
    counting = once == '-' or not (redis.call('HMGET', current, once)[1] or redis.call('HMGET', previous, once)[1])
  elseif limit ~= '' and reached > tonumber(limit) then
    counting = false
  end
  reached = 0
  local adds = tonumber(take())
  local full = counting and redis.call('HLEN', current) >= most
  for k = 1, adds do
    local field, by = take(), take()
    if counting and not (full and not redis.call('HMGET', current, field)[1]) then
      local count = redis.call('HINCRBY', current, field, by)
      if k == 1 then reached = count end
    end
  end
  if counting and not limit and once ~= '-' and not full then redis.call('HSET', current, once, '') end
  if reached > above then keep_ms = busy_ms end
  if counting and redis.call('PTTL', current) < keep_ms then redis.call('PEXPIRE', current, keep_ms) end
  answer[#answer + 1] = counting and 1 or 0
  local fields = {}
  for field in take do fields[#fields + 1] = field end
  if #fields > 0 then
    -- One command for all of a bucket: a call of each costs the server more than the rest of the script.
    local now, before = redis.call('HMGET', current, unpack(fields)), redis.call('HMGET', previous, unpack(fields))
    for j = 1, #fields do
      answer[#answer + 1] = now[j] or 0
      answer[#answer + 1] = before[j] or 0
    end
  end
end
return table.concat(answer, ' ')
`
