import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

/** What one process tells of itself. */
export interface InstanceStatus {
  /** Random, of this start: a process that was started again is another one. */
  readonly id: string
  /** Machine and process number. */
  readonly name: string
  readonly version: string
  /** Unix seconds, as all moments here. */
  readonly startedAt: number
  /** When this was written, by the clock of the process. */
  readonly at: number
  /** Why the ledger cannot be used. */
  readonly fault?: string
  /** What keeps visitors out although this process can do its work. */
  readonly problem?: string
  readonly configuration: { readonly since: number; readonly problem?: string }
  readonly keyring: { readonly since: number; readonly problem?: string }
  /** Said at the end: it stopped by itself. */
  readonly stopped?: true
}

/**
 * A minute of one process, or an hour without networks: all that it counted, and its state. One process publishes it and
 * another one reads it.
 */
export interface Packet {
  /** Of this shape; another one is left unread. */
  readonly v: 1
  /** Unix time in minutes: when it begins. */
  readonly minute: number
  readonly instance: InstanceStatus
  /** Counts without a site, for every sixth of the packet's time. */
  readonly steps: readonly Readonly<Record<string, number>>[]
  /** Counts of sites, for the whole time. */
  readonly sites: Readonly<Record<string, number>>
  /** Refusals for asking too often, by network (IPv4 /24, IPv6 /48). */
  readonly limited: Readonly<Record<string, number>>
}

/** Minutes that a packet covers. Those of a minute are kept for an hour, those of an hour for a week. */
export const LENGTHS = { minute: 1, hour: 60 } as const
export type Length = keyof typeof LENGTHS
/** Minutes that are remembered of each: the time that is shown, and the period that has just begun. */
export const REMEMBERED: Readonly<Record<Length, number>> = { minute: 61, hour: 169 * 60 }
export const PACKET_STEPS = 6
/** Seconds of a step: 10, or 600. */
export const stepSeconds = (length: Length): number => (LENGTHS[length] * 60) / PACKET_STEPS
/** Bytes that a packet may have unpacked; ours stay far below (`minutes.ts`). */
const MOST_BYTES = 4 * 1024 * 1024

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** As text for the store; compressed in another thread. */
export async function pack(packet: Packet): Promise<string> {
  return (await deflate(JSON.stringify(packet))).toString('base64')
}

/** @returns undefined for what is no packet of this shape: another release's, or spoilt. */
export async function unpack(text: string): Promise<Packet | undefined> {
  try {
    const bytes = await inflate(Buffer.from(text, 'base64'), { maxOutputLength: MOST_BYTES })
    const packet = JSON.parse(bytes.toString()) as Packet
    return packet.v === 1 ? packet : undefined
  } catch {
    return undefined
  }
}
