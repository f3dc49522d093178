import type { Consumable } from '../ports/stores.ts'

/**
 * The ledger of release 0.1, for a rolling upgrade: while instances of it use the same Redis, new ones issue challenges
 * of its generation and consume their tokens by its rules. Each token names one generation, so it has one ledger.
 * This file goes with the next change of the schema.
 */
export const GENERATION_KEY_1 = 'gen'

/**
 * The script of release 0.1 without one line: it does not write the time, because the time shows that an instance
 * of that release is alive. It also gives points back, as LEDGER_SCRIPT does.
 *
 * KEYS and ARGV: as there. The answers are those of LEDGER_SCRIPT.
 */
export const LEDGER_SCRIPT_1 = `
if KEYS[3] then
  redis.pcall('SET', KEYS[3], 0, 'EX', ARGV[8], 'NX')
  local taken = redis.pcall('INCRBY', KEYS[3], 1)
  if type(taken) ~= 'number' then
    for word in string.gmatch('READONLY OOM MISCONF NOREPLICAS MASTERDOWN CLUSTERDOWN LOADING TRYAGAIN', '%u+') do
      if taken.err:find(word, 1, true) then return taken end
    end
    return {'limiter', taken.err}
  end
  if taken > tonumber(ARGV[7]) then return {'limited', redis.call('PTTL', KEYS[3])} end
end
local function refuse(word)
  if KEYS[3] and ARGV[9] == '1' then redis.pcall('INCRBY', KEYS[3], -1) end
  return {word, ''}
end
local replid = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if not replid then return {'noid', ''} end
local evicted = string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)') or '-'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'g', 'r', 'e', 'v', 'h')
local generation = known[1]
-- Its instances begin its generations. Until one has, nothing of it is accepted.
if not generation or known[4] ~= '1' or known[2] ~= replid or known[3] ~= evicted
  or now < tonumber(known[5] or 0) - 30000 or ARGV[2] ~= generation then
  return refuse('stale')
end
if now >= tonumber(ARGV[3]) then return refuse('expired') end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', string.format('%.0f', ARGV[5] - now)) then return {'ok', ''} end
if redis.call('GET', KEYS[2]) == ARGV[1] then return {'ok', ''} end
return refuse('dup')
`

/** @returns the key of an entry, and the arguments before those of a window. */
export function callOf1(prefix: string, { kind, jti, attempt, generation, expiresAt, keepUntil }: Consumable) {
  return {
    key: `${prefix}${kind === 'response' ? 't' : 'c'}:${jti}`,
    args: [attempt, generation, String(expiresAt * 1000), '', String(keepUntil * 1000), '1'],
  }
}
