-- Opens a window if there is none, adds the points, and returns the points used and the milliseconds left. Unlike the script of
-- rate-limiter-flexible it stores the end of the window: if the server's clock is set back, the key would live longer and a whole
-- site would be refused, so a window that ends later than possible is replaced.
--
-- KEYS[1]: the window. ARGV[1]: points, may be negative. ARGV[2]: the length of the window in seconds.
local time = redis.call('TIME')
local now, length = time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2] * 1000
local left = (tonumber(redis.call('HMGET', KEYS[1], 'end')[1]) or 0) - now
if left <= 0 or left > length then
  left = length
  redis.call('HSET', KEYS[1], 'end', now + length, 'points', 0)
  redis.call('PEXPIRE', KEYS[1], length)
end
return {redis.call('HINCRBY', KEYS[1], 'points', ARGV[1]), left}
