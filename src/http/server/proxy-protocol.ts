import { isIP } from 'node:net'

/** The result of reading the beginning of a connection. */
export type ProxyHeader =
  /** More bytes are needed. */
  | { readonly at: 'incomplete' }
  /** No header of the protocol, or one that breaks its rules. */
  | { readonly at: 'invalid' }
  /** `source` is undefined where the proxy speaks for itself (LOCAL, UNKNOWN, a socket of its own machine). */
  | { readonly at: 'whole'; readonly length: number; readonly source: string | undefined }

const INCOMPLETE: ProxyHeader = { at: 'incomplete' }
const INVALID: ProxyHeader = { at: 'invalid' }

const SIGNATURE_1 = Buffer.from('PROXY ')
/** Bytes of a header of version 1, its CRLF included; section 2.1. */
const LONGEST_1 = 107
const SIGNATURE_2 = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
const FIXED_2 = 16
/** Bytes of addresses and additions (TLS facts, ids of cloud end points) that are read; the protocol would allow 65,535. */
const LONGEST_REST_2 = 4096
/** Bytes of both addresses and both ports: section 2.2. */
const ADDRESSES_2: Readonly<Record<number, number>> = { 1: 12, 2: 36 }

/**
 * Reads the header that a load balancer writes before the bytes of a visitor: PROXY protocol, version 1 or 2.
 *
 * @param bytes of the connection, from its first on.
 * @see https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt, section 2
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return INCOMPLETE
  if (beginsAs(bytes, SIGNATURE_1)) return bytes.length < SIGNATURE_1.length ? INCOMPLETE : readVersion1(bytes)
  if (beginsAs(bytes, SIGNATURE_2)) return bytes.length < FIXED_2 ? INCOMPLETE : readVersion2(bytes)
  return INVALID
}

const beginsAs = (bytes: Buffer, signature: Buffer): boolean => {
  const length = Math.min(bytes.length, signature.length)
  return bytes.subarray(0, length).equals(signature.subarray(0, length))
}

const VERSION_1 = /^PROXY (TCP4|TCP6) ([0-9A-Fa-f:.]{2,45}) ([0-9A-Fa-f:.]{2,45}) ([0-9]{1,5}) ([0-9]{1,5})$/

function readVersion1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, LONGEST_1).indexOf('\r\n')
  if (end === -1) return bytes.length < LONGEST_1 ? INCOMPLETE : INVALID
  const line = bytes.toString('latin1', 0, end)
  const length = end + 2
  if (line === 'PROXY UNKNOWN' || line.startsWith('PROXY UNKNOWN ')) return { at: 'whole', length, source: undefined }
  const [, protocol, source = '', target = '', ...ports] = VERSION_1.exec(line) ?? []
  if (protocol === undefined) return INVALID
  const family = protocol === 'TCP4' ? 4 : 6
  const isSound = isIP(source) === family && isIP(target) === family && ports.every((port) => Number(port) <= 65_535)
  return isSound ? { at: 'whole', length, source } : INVALID
}

function readVersion2(bytes: Buffer): ProxyHeader {
  const [versionAndCommand, familyAndTransport, rest] = [bytes[12]!, bytes[13]!, bytes.readUInt16BE(14)]
  const command = versionAndCommand & 0x0f
  if (versionAndCommand >> 4 !== 2 || command > 1 || rest > LONGEST_REST_2) return INVALID
  const length = FIXED_2 + rest
  if (bytes.length < length) return INCOMPLETE
  const family = familyAndTransport >> 4
  const needed = ADDRESSES_2[family]
  // A health check of the proxy, or a protocol without addresses.
  if (command === 0 || needed === undefined) return { at: 'whole', length, source: undefined }
  if (rest < needed) return INVALID
  return { at: 'whole', length, source: family === 1 ? ipv4(bytes, FIXED_2) : ipv6(bytes, FIXED_2) }
}

const ipv4 = (bytes: Buffer, at: number): string => bytes.subarray(at, at + 4).join('.')

const ipv6 = (bytes: Buffer, at: number): string =>
  Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(at + 2 * i).toString(16)).join(':')
