import type { ChallengeClaims } from '../claims/challenge.ts'
import type { AddressHash } from '../domain/address-hash.ts'
import type { UnixSeconds } from '../domain/words.ts'

/** The attempt that holds a challenge, as far as this process has seen it. */
export interface Holder {
  readonly claims: ChallengeClaims
  /** Hash of its address, with the key of the challenge. */
  readonly solved: AddressHash | undefined
  /** Whether its visit was charged, or its work is wrong. */
  isSettled: boolean
}

/** Challenges whose holder is remembered; some 1 kB each. */
const REMEMBERED = 4096

/** Names a challenge by its signature, in a copy: a slice would keep the whole body in memory. */
const nameOf = (challenge: string): string =>
  Buffer.from(challenge.slice(-43), 'latin1').toString('latin1')

/** Remembers who holds a challenge. It only serves to refuse: the ledger alone lets anyone in. */
export function holders() {
  const remembered = new Map<string, Holder>()
  return {
    /** Returns who holds a challenge that has not expired. */
    find(challenge: string, now: UnixSeconds): Holder | undefined {
      const holder = remembered.get(nameOf(challenge))
      return holder && now < holder.claims.expiresAt ? holder : undefined
    },

    /** Remembers a holder. Of two calls at once with the same attempt, the second gets what the first has remembered. */
    remember(challenge: string, claims: ChallengeClaims, solved: AddressHash | undefined): Holder {
      const name = nameOf(challenge)
      const holder = remembered.get(name) ?? { claims, solved, isSettled: false }
      if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value!)
      remembered.set(name, holder)
      return holder
    },
  }
}
