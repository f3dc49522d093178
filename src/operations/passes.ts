import {
  isPassOf,
  passEntriesUntil,
  responseClaimsOf,
  wasMadeInGeneration,
} from '../claims/pass.ts'
import type { ResponseClaims } from '../claims/response.ts'
import type { OpenPass, Tokens, Unopened } from '../claims/tokens.ts'
import type { Consumption, Ledger } from '../domain/ports.ts'
import type { Site } from '../domain/site.ts'
import type { AttemptId, UnixSeconds } from '../domain/words.ts'
import { isHeld } from './attempt.ts'

interface Ports {
  readonly tokens: Pick<Tokens, 'activeKid'>
  readonly openPass: OpenPass
  readonly ledger: Pick<Ledger, 'consume' | 'generation' | 'beganAt'>
}

/** Opens and consumes passes, by which a customer vouches for a visitor, as if they were response tokens. */
export function passes(ports: Ports) {
  const { tokens, ledger } = ports
  return {
    /**
     * Returns a pass as the claims of a token. A pass that is older than the current generation counts as expired: it may
     * have been used in one whose entries are lost.
     */
    async open(text: string, site: Site, now: UnixSeconds): Promise<ResponseClaims | Unopened> {
      const pass = await ports.openPass(text, site, now)
      if (typeof pass === 'string') return pass
      if (!isPassOf(site, pass, now)) return 'invalid'
      const generation = ledger.generation(pass.jti)
      if (!wasMadeInGeneration(ledger.beganAt(pass.jti), pass)) return 'expired'
      return responseClaimsOf(pass, site, { generation, kid: tokens.activeKid(now) })
    },

    /** Consumes every entry of a pass in sequence: of two requests at once, the one that gets the first gets them all. */
    async consume(
      { jti, generation, expiresAt }: ResponseClaims,
      attempt: AttemptId,
      now: UnixSeconds,
    ): Promise<Consumption> {
      let consumption: Consumption = 'taken'
      for (const keepUntil of passEntriesUntil(expiresAt, now)) {
        const entry = { kind: 'pass', jti, generation, attempt, expiresAt, keepUntil } as const
        consumption = await ledger.consume(entry)
        if (!isHeld(consumption)) return consumption
      }
      return consumption
    },
  }
}
