import type { Config } from '../settings/load.ts'
import type { Site } from '../domain/site.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'
import { type Jwk, keyring, KeyringError, readKeyringFile } from '../tokens/keyring.ts'
import { DEFAULT_ISSUER, jwtTokens } from '../tokens/tokens.ts'
import type { Known, Opened } from './examine-service.ts'
import { fix, good, type Seen } from './finding.ts'
import type { Page } from './visitor.ts'

const DAY = 86_400
/** Days after which a signing key ought to have been replaced; docs/operate/operations.md. */
const KEY_AGE = 180

/** Whether the keys can be used, and how old the active one is. */
export function examineKeyring({ keyring: file }: Config, now: UnixSeconds): Seen {
  if (file === undefined) return good('none: a new key at each start')
  const keys = keysIn(file)
  if (typeof keys === 'string') return fix(keys, 'the service does not start like this')
  const active = Math.max(...keys.map(({ nbf }) => nbf).filter((nbf) => nbf <= now))
  if (!Number.isFinite(active)) return fix('no key is active yet', 'wait until it is active, or run: hv keygen')
  const days = Math.floor((now - active) / DAY)
  const saw = `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, the active one for ${days} days`
  return days <= KEY_AGE ? good(saw) : fix(saw, 'rotate: hv keygen --active-in 10m (docs/operate/operations.md)')
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

/** One page for each hostname that has no wildcard. */
export const pagesOf = (sites: readonly Site[]): readonly Page[] =>
  sites.flatMap(({ sitekey, hostnames, actions }) =>
    hostnames
      .filter((hostname) => !hostname.startsWith('*.'))
      .map((hostname) => ({ sitekey, origin: `https://${hostname}`, action: actions?.[0] ?? 'hv-doctor' })),
  )

/** Opens response tokens with the keyring; undefined when there is none that can be read. */
export function tokenOpener({ keyring: file, publicUrl }: Config, now: UnixSeconds): Known['open'] {
  const keys = file === undefined ? undefined : keysIn(file)
  // A keyring that cannot be read has a finding of its own.
  if (keys === undefined || typeof keys === 'string') return undefined
  const issuer = publicUrl ?? DEFAULT_ISSUER
  const tokens = jwtTokens({ keyring: keyring(keys), issuer, clock: { now: () => now } })
  return async (token, { sitekey }): Promise<Opened | undefined> => {
    const claims = await tokens.openResponse(token, sitekey as Sitekey, LONG_AGO)
    if (typeof claims === 'string') return undefined
    const { address } = claims.sealed
    return {
      scope: address?.scope ?? 'none',
      is: (text) => address !== undefined && tokens.markAddress(text, claims.kid)?.hash === address.hash,
    }
  }
}

/** Before any token of ours: its own clock decides when it expires, and that may differ from this machine's. */
const LONG_AGO = 0 as UnixSeconds
