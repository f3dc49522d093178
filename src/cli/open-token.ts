import type { Config } from '../settings/load.ts'
import type { ChallengeClaims } from '../domain/challenge.ts'
import type { ResponseClaims } from '../domain/response.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'
import { keyring, readKeyringFile } from '../tokens/keyring.ts'
import { DEFAULT_ISSUER, jwtTokens } from '../tokens/tokens.ts'
import { UsageError } from './command.ts'

/** Long before any token of ours: opening as of then tells what an expired one said. */
const LONG_AGO = 0 as UnixSeconds

/**
 * Opens a token of either kind with the configuration's keyring, expired or not. Nothing is consumed.
 *
 * @returns undefined when it is not of this keyring and deployment, or altered.
 * @throws {UsageError} when the configuration names no keyring. @throws {KeyringError} when it cannot be read.
 */
export async function openToken(
  text: string,
  config: Config,
  now: UnixSeconds,
): Promise<ChallengeClaims | ResponseClaims | undefined> {
  if (config.keyring === undefined)
    throw new UsageError(`${config.file} names no keyring; its keys live in one process`)
  const keys = keyring(readKeyringFile(config.keyring))
  const tokens = jwtTokens({ keyring: keys, issuer: config.publicUrl ?? DEFAULT_ISSUER, clock: { now: () => now } })
  const challenge = await tokens.openChallenge(text, LONG_AGO)
  if (typeof challenge !== 'string') return challenge
  const sitekey = audienceOf(text)
  const response = sitekey === undefined ? 'invalid' : await tokens.openResponse(text, sitekey, LONG_AGO)
  return typeof response === 'string' ? undefined : response
}

/** The site a token says it is for; believed only once the token opens for it. */
function audienceOf(text: string): Sitekey | undefined {
  try {
    const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as { aud?: unknown }
    return typeof claims.aud === 'string' ? (claims.aud as Sitekey) : undefined
  } catch {
    return undefined
  }
}
