import type { Config } from '../settings/load.ts'
import { allowsHostname, parseOrigin, type Site } from '../domain/site.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { type Diagnosis, good, fix, reasonOf } from '../doctor/diagnosis.ts'
import type { AllowedPage } from '../doctor/page-side.ts'
import type { AddressReader } from '../doctor/seen-address.ts'
import { checkRedis } from '../store/check-redis.ts'
import { type RedisConnection, redisConnection } from '../store/redis.ts'
import { keyring, KeyringError, readKeyringFile } from '../tokens/keyring.ts'
import { DEFAULT_ISSUER, jwtTokens } from '../tokens/tokens.ts'
import { openToken } from './open-token.ts'

const DAY = 86_400
/** Days after which a signing key ought to have been replaced; docs/operate/operations.md. */
const KEY_AGE = 180
/** Days before its end in which a secret is named. */
const SECRET_WARNING = 14

/** What the operator's own files and Redis say: policy and identity, age of the keys, secrets near their end. */
export async function examineConfig(config: Config, now: UnixSeconds): Promise<readonly Diagnosis[]> {
  return [await examineRedis(config), examineKeyring(config, now), ...examineSecrets(config.sites, now)]
}

async function examineRedis({ redis, ledger }: Config): Promise<Diagnosis> {
  if (!redis) return good('Redis', 'none: the embedded ledger, one process')
  const says: string[] = []
  const keep = (message: string, fields?: { readonly detail?: string }): void =>
    void says.push(`${message}${fields?.detail === undefined ? '' : `: ${fields.detail}`}`)
  let link: RedisConnection | undefined
  try {
    // Throws where a file of the settings, such as a password's, is not on this machine.
    link = redisConnection(redis, { log: { info: () => {}, warn: keep, error: keep }, partitions: ledger.partitions })
    const refusal = await checkRedis(link)
    if (refusal !== undefined)
      return fix('Redis', refusal, 'the service refuses to start, or answers 503, until this is done')
    const reached = link.trouble() === undefined
    if (!reached)
      return fix('Redis', says[0] ?? 'cannot be reached from here', 'start it, or ask from where the service runs')
    return good('Redis', 'never evicts, and shows who it is')
  } catch (error) {
    return fix('Redis', reasonOf(error), 'start it, or ask from where the service runs')
  } finally {
    await link?.close()
  }
}

function examineKeyring({ keyring: file }: Config, now: UnixSeconds): Diagnosis {
  if (file === undefined) return good('keyring', 'none: a key of each start')
  try {
    const keys = readKeyringFile(file)
    const active = Math.max(...keys.map(({ nbf }) => nbf).filter((nbf) => nbf <= now))
    if (!Number.isFinite(active))
      return fix('keyring', 'no key is active yet', 'wait for its moment, or run: hv keygen')
    const days = Math.floor((now - active) / DAY)
    const saw = `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, the active one for ${days} days`
    if (days <= KEY_AGE) return good('keyring', saw)
    return fix('keyring', saw, 'rotate: hv keygen --active-in 10m (docs/operate/operations.md)')
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error
    return fix('keyring', error.message, 'the service does not start like this')
  }
}

function examineSecrets(sites: readonly Site[], now: UnixSeconds): readonly Diagnosis[] {
  const diagnoses = sites.flatMap(({ sitekey, name, secrets }) => {
    const check = `secrets of ${name ?? sitekey}`
    const live = secrets.filter(({ notAfter }) => notAfter === undefined || now < notAfter)
    if (live.length === 0) return [fix(check, 'all are over', `every siteverify is refused: hv site rotate ${sitekey}`)]
    if (live.some(({ notAfter }) => notAfter === undefined)) return []
    const days = Math.floor((Math.max(...live.map(({ notAfter }) => Number(notAfter))) - now) / DAY)
    if (days >= SECRET_WARNING) return []
    return [
      fix(check, `the last one ends in ${days} days`, `hv site rotate ${sitekey}, and give the customer the new one`),
    ]
  })
  return diagnoses.length > 0
    ? diagnoses
    : [good('secrets', `of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}: none near its end`)]
}

/** Says whether a page of the operator's may show the widget, and what to do if it may not. */
export function examinePage(page: URL, sites: readonly Site[]): Diagnosis {
  const check = `page ${page.hostname}`
  const origin = parseOrigin(page.origin)
  const site = origin && sites.find((each) => allowsHostname(each, origin.hostname))
  if (site) return good(check, `a hostname of ${site.name ?? site.sitekey}`)
  return fix(check, 'not a hostname of any site: error 103', `add ${page.hostname} to the hostnames of its site`)
}

/** One page for each hostname that has no wildcard. */
export const pagesOf = (sites: readonly Site[]): readonly AllowedPage[] =>
  sites.flatMap(({ sitekey, hostnames, actions }) =>
    hostnames
      .filter((hostname) => !hostname.startsWith('*.'))
      .map((hostname) => ({ sitekey, hostname, action: actions?.[0] ?? 'hv-doctor' })),
  )

/** @returns undefined when no file holds the keys, so that nobody but the service can read its tokens. */
export async function addressReader(config: Config, now: UnixSeconds): Promise<AddressReader | undefined> {
  if (config.keyring === undefined) return undefined
  const keys = keyring(readKeyringFile(config.keyring))
  const tokens = jwtTokens({ keyring: keys, issuer: config.publicUrl ?? DEFAULT_ISSUER, clock: { now: () => now } })
  const opened = async (token: string) => {
    const claims = await openToken(token, config, now)
    return claims && 'sealed' in claims ? claims : undefined
  }
  return {
    async scopeOf(token) {
      const claims = await opened(token)
      return claims && (claims.sealed.address?.scope ?? 'none')
    },
    async is(token, _sitekey, address) {
      const claims = await opened(token)
      return (
        claims?.sealed.address !== undefined &&
        tokens.markAddress(address, claims.kid)?.hash === claims.sealed.address.hash
      )
    },
  }
}
