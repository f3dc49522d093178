/**
 * The glossary as types. A branded value cannot be passed for another, so a jti is never taken for a sitekey, or a plain number
 * of milliseconds for seconds.
 */

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/** Public name of a site. */
export type Sitekey = Branded<string, 'Sitekey'>
/** Where the widget ran: lowercase, no port, no trailing dot. */
export type Hostname = Branded<string, 'Hostname'>
/** The workflow label of a token: 1 to 64 of `A-Z a-z 0-9 _ - / .`. */
export type Action = Branded<string, 'Action'>
/** A token's id: 128 random bits, base64url, 22 characters. A challenge and its tokens share one. */
export type Jti = Branded<string, 'Jti'>
/** Which history of the ledger a token belongs to: 128 random bits, 22 characters. */
export type Generation = Branded<string, 'Generation'>
/** Identifies an attempt, so that its repeats are recognised: 128 bits, 22 characters. */
export type AttemptId = Branded<string, 'AttemptId'>
/** A key's id in the keyring. */
export type Kid = Branded<string, 'Kid'>
/** A length of time in seconds. */
export type Seconds = Branded<number, 'Seconds'>
/** A moment: whole seconds since 1970-01-01 00:00:00 UTC. */
export type UnixSeconds = Branded<number, 'UnixSeconds'>

export const seconds = (n: number): Seconds => n as Seconds
export const unixSeconds = (n: number): UnixSeconds => n as UnixSeconds
/** Returns a time plus a number of seconds. */
export const later = (at: UnixSeconds, by: number): UnixSeconds => (at + by) as UnixSeconds
