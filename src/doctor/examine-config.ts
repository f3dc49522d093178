import type { Log } from '../domain/observing.ts'
import { scopeOf } from '../domain/address-hash.ts'
import type { Config } from '../settings/load.ts'
import { allowsHostname, parseOrigin, type Site, thresholdsOf } from '../domain/site.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'
import { checkRedis } from '../store/redis/check-redis.ts'
import { type Patience, redisConnection } from '../store/redis/redis-connection.ts'
import { type Jwk, keyring, KeyringError, readKeyringFile } from '../tokens/keyring.ts'
import { DEFAULT_ISSUER, jwtTokens } from '../tokens/jwt-tokens.ts'
import type { Known, Opened } from './examine-service.ts'
import { type Finding, fix, good, look, type Seen, unknown } from './finding.ts'
import type { Page } from './visitor.ts'

const DAY = 86_400
/** Days after which a signing key ought to have been replaced; docs/operate/operations.md. */
const KEY_AGE = 180
/** Seconds: the tolerance of tokens, and one for Redis' answer in whole seconds. */
const CLOCKS_DIFFER = 6
const PATIENCE: Patience = { budgetMs: 1000, retry: true }

/** What the operator's own files and Redis say: policy and identity, and the age of the keys. */
export async function examineConfig(config: Config, now: UnixSeconds): Promise<readonly Finding[]> {
  return [
    await look('Redis', () => examineRedis(config), unreachable),
    { check: 'keyring', ...examineKeyring(config, now) },
    ...config.sites.flatMap(examineActions),
  ]
}

/**
 * Names what the handlers of a site must send where thresholds or rules differ by action, which the visitor chooses. What they
 * do send cannot be asked from here: libraries that were written for other services send no action.
 */
const examineActions = (site: Site): readonly Finding[] => [
  ...examineThresholds(site),
  ...examineRules(site),
]

function examineThresholds(site: Site): readonly Finding[] {
  const { sitekey, scoreThreshold: own } = site
  const lower = [...site.actionThresholds.keys()]
    .map((action) => ({ action, least: thresholdsOf(site, action).scoreThreshold }))
    .filter(({ least }) => least < own)
  if (lower.length === 0) return []
  const saw = lower.map(({ action, least }) => `${action} passes at ${least}`).join(', ')
  const advice = `each handler of the site must send its action: one that sends none accepts tokens of every action, at ${own} or more`
  return [{ check: `actions ${sitekey}`, ...unknown(`${saw}, the site at ${own}`, advice) }]
}

function examineRules({ sitekey, rules }: Site): readonly Finding[] {
  const names = rules.filter(({ isOfActions }) => isOfActions).map(({ name }) => name)
  if (names.length === 0) return []
  const saw = `of one action: ${names.join(', ')}`
  const advice =
    'each handler of the site must send its action: where it sends none, the visitor chooses by the action whether such a rule counts'
  return [{ check: `rules ${sitekey}`, ...unknown(saw, advice) }]
}

const unreachable = (saw: string): Seen =>
  fix(saw, 'start it, or run hv doctor where the service runs')

async function examineRedis({ redis, ledger }: Config): Promise<Seen> {
  if (!redis) return good('none: the embedded ledger, one process')
  const said: string[] = []
  const keep: Log['warn'] = (message, { detail } = {}) =>
    void said.push(detail === undefined ? message : `${message}: ${detail}`)
  const log = { info: () => {}, warn: keep, error: keep }
  // Throws where a file of the settings, such as a password's, is not on this machine.
  const link = redisConnection(redis, { log, partitions: ledger.partitions })
  try {
    const refusal = await checkRedis(link)
    if (refusal !== undefined)
      return fix(refusal, 'the service refuses to start, or answers 503, until this is done')
    if (link.trouble() !== undefined) return unreachable(said[0] ?? 'cannot be reached from here')
    const ahead =
      Date.now() / 1000 - Number((await link.ask(() => link.client.time(), PATIENCE))[0])
    const saw = `its clock is ${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'behind' : 'ahead of'} this machine's`
    return Math.abs(ahead) > CLOCKS_DIFFER
      ? fix(
          saw,
          'run NTP on both, and on the machines of the service: an instance that is behind Redis refuses every visitor',
        )
      : good('noeviction, its identity is readable, and its clock is right')
  } finally {
    await link.close()
  }
}

function examineKeyring({ keyring: file }: Config, now: UnixSeconds): Seen {
  if (file === undefined) return good('none: a new key at each start')
  const keys = keysIn(file)
  if (typeof keys === 'string') return fix(keys, 'the service does not start like this')
  const keygen = `hv keygen --keyring ${file}`
  const active = Math.max(...keys.map(({ nbf }) => nbf).filter((nbf) => nbf <= now))
  if (!Number.isFinite(active))
    return fix('no key is active yet', `wait until it is active, or run: ${keygen}`)
  const days = Math.floor((now - active) / DAY)
  const saw = `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, the active one for ${days} days`
  return days <= KEY_AGE
    ? good(saw)
    : fix(saw, `rotate: ${keygen} --active-in 10m (docs/operate/operations.md)`)
}

/** @returns the keys of a file, or why it cannot be used. */
function keysIn(file: string): readonly Jwk[] | string {
  try {
    return readKeyringFile(file)
  } catch (error) {
    if (error instanceof KeyringError) return error.message
    throw error
  }
}

/** Says whether a page of the operator's may show the widget, and what to do if it may not. */
export function examinePage(page: URL, sites: readonly Site[]): Finding {
  const check = `page ${page.hostname}`
  const origin = parseOrigin(page.origin)
  const site = origin && sites.find((each) => allowsHostname(each, origin.hostname))
  if (site) return { check, ...good(`a hostname of ${site.name}`) }
  return {
    check,
    ...fix(
      'not a hostname of any site: error 103',
      `add ${page.hostname} to the hostnames of its site`,
    ),
  }
}

/** One page for each hostname that has no wildcard. */
export const pagesOf = (sites: readonly Site[]): readonly Page[] =>
  sites.flatMap(({ sitekey, hostnames, actions }) =>
    hostnames
      .filter((hostname) => !hostname.startsWith('*.'))
      .map((hostname) => ({
        sitekey,
        origin: `https://${hostname}`,
        action: actions?.[0] ?? 'hv-doctor',
      })),
  )

/** Opens response tokens with the keyring; undefined when there is none that can be read. */
export function tokenOpener({ keyring: file, publicUrl }: Config, now: UnixSeconds): Known['open'] {
  const keys = file === undefined ? undefined : keysIn(file)
  // A keyring that cannot be read has its own finding.
  if (keys === undefined || typeof keys === 'string') return undefined
  const issuer = publicUrl ?? DEFAULT_ISSUER
  const tokens = jwtTokens({ keyring: keyring(keys), issuer, clock: { now: () => now } })
  return async (token, { sitekey }): Promise<Opened | undefined> => {
    const claims = await tokens.openResponse(token, sitekey as Sitekey, LONG_AGO)
    if (typeof claims === 'string') return undefined
    const { address } = claims.sealed
    return {
      scope: address === undefined ? 'none' : scopeOf(address),
      is: (text) => address !== undefined && tokens.hashAddress(text, claims.kid) === address,
    }
  }
}

/** Measured before tokens are made: the clock of Redis decides when an entry expires, and may differ from this machine's. */
const LONG_AGO = 0 as UnixSeconds
