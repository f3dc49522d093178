-- Opens the window if there is none, takes the points, and says how many are gone and how many ms are left: the script of
-- rate-limiter-flexible, but the end of a window is kept beside its points. A server's clock that is set back would keep the
-- key for longer, and refuse a whole site: a window that ends later than it can begins anew.
--
-- KEYS[1]: the window. ARGV[1], [2]: points, which may be negative, and the length of the window in seconds.
local time = redis.call('TIME')
local now, length = time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2] * 1000
local left = (tonumber(redis.call('HMGET', KEYS[1], 'end')[1]) or 0) - now
if left <= 0 or left > length then
  left = length
  redis.call('HSET', KEYS[1], 'end', now + length, 'points', 0)
  redis.call('PEXPIRE', KEYS[1], length)
end
return {redis.call('HINCRBY', KEYS[1], 'points', ARGV[1]), left}
