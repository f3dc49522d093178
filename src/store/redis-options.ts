import { readFileSync } from 'node:fs'
import type { RedisOptions } from 'ioredis'

/** Where Redis is; exactly one of `url`, `cluster` and `sentinel`. The shape of `redis` in the configuration. */
export interface RedisPlace {
  /** `redis://` or `rediss://`, with user, password and database. Holds a secret: never log it. */
  readonly url?: string | undefined
  readonly cluster?: readonly RedisNode[] | undefined
  readonly sentinel?: { readonly name: string; readonly nodes: readonly RedisNode[] } | undefined
  /** ACL user and password of every node, with `cluster` or `sentinel`. */
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Those of the Sentinels themselves. */
  readonly sentinelUsername?: string | undefined
  readonly sentinelPassword?: string | undefined
  /** Paths of files that hold a password, each in place of one above. */
  readonly passwordFile?: string | undefined
  readonly sentinelPasswordFile?: string | undefined
  /** TLS to every node and Sentinel; with `url`, its scheme says it. */
  readonly tls?: boolean
  /** Path of a PEM file: who signed the servers' certificates. */
  readonly ca?: string | undefined
  /** Without the colon: `hv`. */
  readonly keyPrefix: string
}

interface RedisNode {
  readonly host: string
  readonly port: number
}

/** The library chooses its types by `replyMapping`; we keep the default. */
export type Settings = Omit<RedisOptions, 'replyMapping'>

/**
 * Returns the settings that name one server, or the user and TLS of every node.
 *
 * @throws {Error} with a sentence for the operator, when the file of the authority or of a password cannot be read.
 */
export function settingsOf(place: RedisPlace): Settings {
  const { url, username, password } = place
  const user = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
  return {
    ...user,
    ...(url === undefined ? {} : readUrl(url)),
    ...(url?.startsWith('rediss:') || place.tls === true ? { tls: encryption(place) } : {}),
    ...(place.sentinelUsername !== undefined && { sentinelUsername: place.sentinelUsername }),
    ...(place.sentinelPassword !== undefined && { sentinelPassword: place.sentinelPassword }),
    ...readPasswords(place),
  }
}

/** Reads the files that hold passwords. They are read for each connection, so that a password can be rotated. */
export function readPasswords({ passwordFile, sentinelPasswordFile }: RedisPlace): Settings {
  return {
    ...(passwordFile !== undefined && { password: passwordFrom(passwordFile, 'password_file') }),
    ...(sentinelPasswordFile !== undefined && {
      sentinelPassword: passwordFrom(sentinelPasswordFile, 'sentinel_password_file'),
    }),
  }
}

/** Reads a password without the byte order mark and the line end that editors and `echo` leave. */
function passwordFrom(file: string, setting: string): string {
  const password = read(file, setting)
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
  if (password === '') throw new Error(`redis.${setting}: ${file} is empty`)
  return password
}

/** Certificates are always checked, and the name in them too; no setting turns that off. */
export const encryption = ({ ca }: RedisPlace): { readonly ca?: string } =>
  ca === undefined ? {} : { ca: read(ca, 'ca') }

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`redis.${setting}: ${file} cannot be read (${String(code)})`, { cause: error })
  }
}

/** Reads a Redis url. The library would let `?enableOfflineQueue=true` and the like win over our own settings. */
function readUrl(text: string): Settings {
  const url = new URL(text)
  const database = url.pathname.slice(1)
  if (!/^rediss?:$/.test(url.protocol) || !/^[0-9]{0,3}$/.test(database)) {
    throw new TypeError('a Redis url is redis:// or rediss://, with host, port and a database number')
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    db: Number(database || 0),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  }
}
