-- Charges several debts, or none. Everything happens in one step.
--
-- KEYS: the debts; then, where ARGV[2] is not '', the mark of what is charged only once.
-- ARGV: Unix milliseconds of the caller's clock; milliseconds to keep that mark, or ''; then of each debt the milliseconds to add,
-- those for which there must be room, and the most that may be owed.
--
-- {0}, or {-1}: charged before, or {the number of the debt that has no room, milliseconds until it has}.
local now, keep, debts, ends = tonumber(ARGV[1]), ARGV[2], (#ARGV - 2) / 3, {}
local mark = keep ~= '' and KEYS[debts + 1]
if mark and redis.call('HMGET', mark, 't')[1] then return {-1} end
for i = 1, debts do
  local add, room, most = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local owed = math.max(0, tonumber(redis.call('HMGET', KEYS[i], 't')[1] or 0) - now)
  -- Much more than may be owed was written by a wrong clock. Those of callers may be ten seconds apart unnoticed; of a debt that
  -- is paid within seconds so much would refuse everybody.
  if owed > most + math.max(2000, math.min(10000, most / 10)) then owed = 0 end
  local over = owed + room - most
  if room > 0 and over > room / 100 then return {i, math.ceil(over)} end
  ends[i] = (add > 0 or add < 0 and owed > 0) and math.max(now + 1, now + owed + add)
end
for i = 1, debts do
  if ends[i] then
    redis.call('HSET', KEYS[i], 't', string.format('%.3f', ends[i]))
    redis.call('PEXPIRE', KEYS[i], math.ceil(ends[i] - now))
  end
end
if mark then
  redis.call('HSET', mark, 't', 1)
  redis.call('PEXPIRE', mark, keep)
end
return {0}
