import { isIP } from 'node:net'
import { parseUrl } from './parse-url.ts'

/** What a Redis url says, in the names of ioredis. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username?: string
  readonly password?: string
}

const ENCODE = 'write special characters of user and password as %xx, or use password_file'

/**
 * Reads a `redis://` or `rediss://` url, for the check of the settings and for the client alike: what
 * one accepts, the other connects to.
 *
 * @returns what is wrong with it as a hint for the operator; `''` when it is no url of Redis at all.
 * @see https://www.iana.org/assignments/uri-schemes/prov/redis: user, password, host, port, database.
 */
export function parseRedisUrl(text: string): RedisAddress | string {
  if (!/^rediss?:\/\//.test(text)) return ''
  const url = parseUrl(text)
  return url ? (slipOf(url) ?? addressOf(url)) : ENCODE
}

function slipOf({ hostname, port, pathname, search, hash }: URL): string | undefined {
  // An @ behind the host is that of a user whose password has a `/`, `?` or `#`.
  if (/@/.test(pathname + search + hash)) return ENCODE
  // `URL` checks the hosts of http and a few other schemes only.
  const isHost = /^[\w.-]+$/.test(hostname) || isIP(hostname.slice(1, -1)) === 6
  if (!isHost || port === '0') return 'a host and a port'
  if (!/^\/?(?:0|[1-9][0-9]{0,4})?$/.test(pathname)) return 'the database is a number'
  // The client would take options of its own from a query.
  return search === '' && hash === '' ? undefined : 'no query or fragment'
}

function addressOf(url: URL): RedisAddress | string {
  const [username, password] = [decode(url.username), decode(url.password)]
  if (username === undefined || password === undefined) return ENCODE
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    db: Number(url.pathname.slice(1)),
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  }
}

/** Returns undefined for a `%` that encodes nothing, or no UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
