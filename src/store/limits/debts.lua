-- Charges several debts, or none.
--
-- KEYS: the debts; then, if ARGV[2] is not '', the mark of a charge that is made only once.
-- ARGV: the caller's Unix milliseconds; how long to keep that mark (ms), or ''; then for each debt the milliseconds to add,
-- those for which there must be room, and the maximum.
--
-- Returns {0}: charged; {-1}: charged before; {i, ms}: debt i has room only after ms milliseconds.
local now, keep, debts, ends = tonumber(ARGV[1]), ARGV[2], (#ARGV - 2) / 3, {}
local mark = keep ~= '' and KEYS[debts + 1]
if mark and redis.call('HMGET', mark, 't')[1] then return {-1} end
for i = 1, debts do
  local add, room, most = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local owed = math.max(0, tonumber(redis.call('HMGET', KEYS[i], 't')[1] or 0) - now)
  -- A debt far above the maximum was written by a caller with a wrong clock. Clocks may differ by up to ten seconds, but by less
  -- for debts that are paid within seconds: such a difference would refuse all visitors.
  if owed > most + math.max(2000, math.min(10000, most / 10)) then owed = 0 end
  local over = owed + room - most
  if room > 0 and over > room / 100 then return {i, math.ceil(over)} end
  ends[i] = add > 0 and math.max(now + 1, now + owed + add)
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
