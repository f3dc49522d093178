-- Opens the window if there is none, takes the points, and says how many are gone and how many ms are left.
--
-- KEYS[1]: the window. ARGV: points, and the length of the window in seconds.
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local left = redis.call('PTTL', KEYS[1])
-- A window that ends too late was opened while the server's clock was ahead: a new one begins.
if left < 0 or left > ARGV[2] * 1000 then
  redis.call('SET', KEYS[1], 0, 'EX', ARGV[2])
  left = ARGV[2] * 1000
end
return {redis.call('INCRBY', KEYS[1], ARGV[1]), left}
