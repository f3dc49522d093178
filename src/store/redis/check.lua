-- Reads what the server says of itself, each '' if not permitted, and tries every command that the scripts need.
--
-- KEYS[1]: an unused key to try them on; without it they are not tried.
--
-- Returns {master_replid, role, maxmemory-policy, redis_version, the first command that failed or '', its error}.
local function find(section, pattern)
  local info = redis.pcall('INFO', section)
  return type(info) == 'string' and string.match(info, pattern) or ''
end
local refused, because = '', ''
local function try(command, ...)
  local answer = redis.pcall(command, ...)
  local says = type(answer) == 'table' and answer.err or ''
  -- A server that is full, loading or a replica may run the command later.
  for code in string.gmatch('OOM READONLY LOADING MASTERDOWN CLUSTERDOWN NOREPLICAS MISCONF TRYAGAIN MOVED ASK', '%u+') do
    if says:find(code, 1, true) then says = '' end
  end
  if says ~= '' and refused == '' then refused, because = command, says end
end
if KEYS[1] then
  local key = KEYS[1]
  try('TIME')
  try('HSETNX', key, 'a', 1)
  try('HINCRBY', key, 'a', 1)
  try('HSET', key, 'a', 1)
  try('HMGET', key, 'a')
  try('HLEN', key)
  try('HKEYS', key)
  try('PEXPIRE', key, 1000)
  try('HDEL', key, 'a')
  try('DEL', key)
  try('SET', key, 0, 'EX', 1, 'NX')
  try('INCRBY', key, 1)
  try('PTTL', key)
  try('EXPIRE', key, 1)
  try('UNLINK', key)
end
return {
  find('replication', 'master_replid:(%x+)'),
  find('replication', 'role:([%a-]+)'),
  find('memory', 'maxmemory_policy:([%a-]+)'),
  find('server', 'redis_version:([%w.-]+)'),
  refused,
  because,
}
