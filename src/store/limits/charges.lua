-- Charges several budgets, or none if one has no room, and at most once for a receipt. The rule is that of gcra.ts.
--
-- KEYS: the budgets, each a hash with its theoretical arrival time (t, in Unix milliseconds); then, if ARGV[2] is not '', the
-- receipt, which shows that the charge was made.
-- ARGV: the caller's Unix milliseconds; how long to keep the receipt (ms), or ''; 'charge', or 'check' to charge nothing; then for
-- each budget the increment and the burst offset (ms).
--
-- Returns {0}: charged, or, for a check, every budget has room; {-1}: charged before; {i, ms}: budget i has room only after ms
-- milliseconds.
local FIRST = 4
local ROUNDING = 0.01

local now = tonumber(ARGV[1])
local keep_receipt_ms = ARGV[2]
local charges = ARGV[3] == 'charge'
local budgets = (#ARGV - FIRST + 1) / 2

local receipt
if keep_receipt_ms ~= '' then receipt = KEYS[budgets + 1] end
if receipt and redis.call('HMGET', receipt, 't')[1] then return {-1} end

local new_tats = {}
for i = 1, budgets do
  local increment = tonumber(ARGV[FIRST + 2 * (i - 1)])
  local burst_offset = tonumber(ARGV[FIRST + 2 * (i - 1) + 1])
  local tat = tonumber(redis.call('HMGET', KEYS[i], 't')[1] or 0)
  local tolerance = math.max(2000, math.min(10000, burst_offset / 10))
  if tat - now > burst_offset + tolerance then tat = now end
  local new_tat = math.max(now, tat) + increment
  local wait = new_tat - burst_offset - now
  if wait > increment * ROUNDING then return {i, math.ceil(wait)} end
  new_tats[i] = new_tat
end
if not charges then return {0} end

for i = 1, budgets do
  redis.call('HSET', KEYS[i], 't', string.format('%.3f', new_tats[i]))
  redis.call('PEXPIRE', KEYS[i], math.ceil(new_tats[i] - now))
end
if receipt then
  redis.call('HSET', receipt, 't', 1)
  redis.call('PEXPIRE', receipt, keep_receipt_ms)
end
return {0}
