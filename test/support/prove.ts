import { readFileSync } from 'node:fs'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { rightAnswers } from '../../src/proof/proof.ts'
import type { Tokens } from '../../src/claims/tokens.ts'
import { keyring, type Jwk } from '../../src/tokens/keyring.ts'
import { DEFAULT_ISSUER, jwtTokens } from '../../src/tokens/jwt-tokens.ts'
import { unixSeconds, type Kid } from '../../src/domain/words.ts'

export type Prove = (challenge: string) => Promise<readonly (readonly number[])[]>

/** Answers the browser proof with the service's keys, which is impossible without them or a browser. */
export function proverWith(tokens: () => Pick<Tokens, 'derive'>): Prove {
  return async (challenge) => {
    const { jti, stp } = decodeJwt(challenge)
    const kid = decodeProtectedHeader(challenge).kid as Kid
    // The challenge of a second try asks for two sets.
    const ids = stp === undefined ? [jti!] : [jti!, `${jti!}.2`]
    return ids.flatMap((id) => rightAnswers(tokens().derive('proof', id, kid)))
  }
}

export const tokensWithFile = (file: string): Tokens =>
  jwtTokens({
    keyring: keyring((JSON.parse(readFileSync(file, 'utf8')) as { keys: Jwk[] }).keys),
    issuer: DEFAULT_ISSUER,
    clock: { now: () => unixSeconds(Math.floor(Date.now() / 1000)) },
  })

/** With the keys of a file, which may change meanwhile. */
export const proverWithFile = (file: string): Prove => proverWith(() => tokensWithFile(file))
