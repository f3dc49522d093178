import type { AddressMark } from '../domain/address-mark.ts'
import { parseAddress } from '../domain/address.ts'
import { memoForAMinute } from '../runtime/memo-for-a-minute.ts'
import { hmac } from './hmac.ts'
import type { SigningKey } from './keyring.ts'
import { perKey } from './per-key.ts'

/** Marks of addresses. A visitor comes twice within seconds, for a challenge and with its solution; a mark takes 10 µs. */
export const markerOf = perKey((key) => memoForAMinute((address) => markWith(key, address), 2048))

function markWith(key: SigningKey, address: string): AddressMark | undefined {
  const parsed = parseAddress(address)
  if (!parsed) return undefined
  const around = hmac(`around ${parsed.network}`, key.address).subarray(0, 6)
  const subnet = hmac(`subnet ${parsed.subnet}`, key.address).subarray(0, 3)
  const hash = Buffer.concat([around, subnet, hmac(parsed.subscriber, key.address)], 16)
  return { family: parsed.family, scope: parsed.scope, hash: hash.toString('base64url') }
}

/** `4` or `6`, `p` where the address is private, then the hash. */
export const spellMark = ({ family, scope, hash }: AddressMark): string =>
  `${family}${scope === 'private' ? 'p' : 'g'}${hash}`

/** Reads what `spellMark` wrote. */
export function readMark(text: string | undefined): AddressMark | undefined {
  if (text === undefined) return undefined
  return { family: text[0] === '4' ? 4 : 6, scope: text[1] === 'p' ? 'private' : 'public', hash: text.slice(2) }
}
