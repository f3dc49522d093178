import { readFileSync } from 'node:fs'
import { rightAnswers } from '../../src/proof/proof.ts'
import type { Tokens } from '../../src/domain/ports/tokens.ts'
import { keyring, type Jwk } from '../../src/tokens/keyring.ts'
import { jwtTokens } from '../../src/tokens/tokens.ts'
import { unixSeconds, type Kid } from '../../src/domain/words.ts'

/** Right answers for a challenge token. */
export type Prove = (challenge: string) => Promise<readonly (readonly number[])[]>

const part = (token: string, index: number): Record<string, string> =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Record<string, string>

/** Answers the browser proof with the service's own keys: nobody without them could, short of a browser. */
export function proverWith(tokens: () => Pick<Tokens, 'derive'>): Prove {
  return async (challenge) => {
    const { jti, stp } = part(challenge, 1)
    const kid = part(challenge, 0)['kid'] as Kid
    // The challenge of a second try asks for two sets.
    const ids = stp === undefined ? [jti!] : [jti!, `${jti!}.2`]
    return ids.flatMap((id) => rightAnswers(tokens().derive('proof', id, kid)))
  }
}

/** With the keys of a file, which may change meanwhile. */
export function proverWithFile(file: string): Prove {
  let known: { readonly text: string; readonly prove: Prove } | undefined
  return (challenge) => {
    const text = readFileSync(file, 'utf8')
    if (known?.text !== text) known = { text, prove: proverWithKeys((JSON.parse(text) as { keys: Jwk[] }).keys) }
    return known.prove(challenge)
  }
}

/** The keys are derived once: a crowd of thousands proves with them. */
export function proverWithKeys(keys: readonly Jwk[]): Prove {
  const clock = { now: () => unixSeconds(0) }
  const tokens = jwtTokens({ keyring: keyring(keys), issuer: 'test', clock })
  return proverWith(() => tokens)
}
