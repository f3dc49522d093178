-- Opens the window if there is none, takes the points, and says how many are gone and how many ms are left.
--
-- Windows end by the callers' clocks: one of the server that jumps must refuse nobody for longer. A window that ends too late
-- was opened by a clock that was ahead, and begins anew; the clocks of callers may be two seconds apart.
--
-- KEYS[1]: the window. ARGV[1], [2], [4]: points, Unix milliseconds, and the length of the window in seconds.
local now, length = tonumber(ARGV[2]), ARGV[4] * 1000
local left = (tonumber(redis.call('HMGET', KEYS[1], 'end')[1]) or 0) - now
if left <= 0 or left > length + 2000 then
  left = length
  redis.call('HSET', KEYS[1], 'end', now + length, 'points', 0)
  redis.call('PEXPIRE', KEYS[1], length)
end
return {redis.call('HINCRBY', KEYS[1], 'points', ARGV[1]), left}
