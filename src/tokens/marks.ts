import { createHmac, type KeyObject } from 'node:crypto'
import type { AddressMark } from '../domain/address-mark.ts'
import { parseAddress } from '../domain/address.ts'

/** Returns a keyed hash of an address; undefined for what is no address. */
export function markAddress(address: string, key: KeyObject): AddressMark | undefined {
  const parsed = parseAddress(address)
  if (!parsed) return undefined
  const hashed = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const own = hashed(parsed.subscriber)
  const network = hashed(`around ${parsed.network}`)
  const subnet = parsed.subnet === parsed.subscriber ? own : hashed(`subnet ${parsed.subnet}`)
  const parts = [network.subarray(0, 6), subnet.subarray(0, 3), own.subarray(-7)]
  return { family: parsed.family, scope: parsed.scope, hash: Buffer.concat(parts).toString('base64url') }
}

/** Spells a mark as a token carries it: `4` or `6`, `p` where the address is private, then the hash. */
export const spellMark = ({ family, scope, hash }: AddressMark): string =>
  `${family}${scope === 'private' ? 'p' : 'g'}${hash}`

/** Reads what `spellMark` wrote. */
export const readMark = (text: string): AddressMark => ({
  family: text[0] === '4' ? 4 : 6,
  scope: text[1] === 'p' ? 'private' : 'public',
  hash: text.slice(2),
})
