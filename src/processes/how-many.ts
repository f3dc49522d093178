/**
 * Reads `--processes`.
 *
 * @param text a number from 1 to 64, or `auto`.
 * @param cores processors that this process may use.
 * @param hasRedis whether the processes would share a ledger; without it, `auto` is one.
 * @returns how many; or a sentence that says why it cannot be so many.
 */
export function howManyProcesses(text: string, cores: number, hasRedis: boolean): number | string {
  if (text === 'auto') return hasRedis ? Math.min(cores, MOST) : 1
  const count = /^[1-9][0-9]?$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MOST) return `--processes wants a number from 1 to ${MOST}, or auto; got ${text}`
  if (count > 1 && !hasRedis) {
    return `--processes ${count} wants Redis: each process would have a ledger of its own, and refuse the visitors of the others. Set redis.url, or HV_REDIS_URL`
  }
  return count
}

const MOST = 64
