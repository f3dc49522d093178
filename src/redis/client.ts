import { readFileSync } from 'node:fs'
import { Cluster, Redis, type RedisOptions } from 'ioredis'

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
type Settings = Omit<RedisOptions, 'replyMapping'>

/** Milliseconds until the next attempt to connect: 50 growing to 500, for ever. */
const backOff = (times: number): number => Math.min(50 * times, 500)

/**
 * The library's defaults keep a request for more than 12 s,
 * and never leave a dead host.
 */
const MUST = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 400,
  socketTimeout: 1000,
  connectTimeout: 1000,
  failoverDetector: false,
  // A primary that became a replica: leave it and ask again where the primary is. Inside a script, old servers
  // put the word in the middle of the message.
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
} as const satisfies RedisOptions

const OURS = {
  // RESP2: Redis 5 knows no HELLO, and 6 and later need none.
  protocol: 2,
  // No CLIENT SETINFO: the recommended ACL does not allow it.
  disableClientInfo: true,
  // A socket that we leave is given up after this; the default of 2 s would be most of the time to recover.
  disconnectTimeout: 300,
  // While Redis loads its file, look again this often; the default is the server's own estimate, up to 10 s.
  maxLoadingRetryTime: 200,
  sentinelRetryStrategy: backOff,
  sentinelCommandTimeout: 400,
} as const satisfies RedisOptions

/**
 * Starts connecting at once, and never stops trying.
 *
 * @throws {Error} with a sentence for the operator, when the file of the authority or of a password cannot be read.
 */
export function redisClient(place: RedisPlace): Redis | Cluster {
  const { cluster, sentinel, url, sentinelUsername } = place
  const sentinelPassword = passwordFrom(place.sentinelPasswordFile, 'sentinel_password_file') ?? place.sentinelPassword
  const options: Settings = { ...MUST, ...OURS, ...user(place), ...(place.tls === true && { tls: encryption(place) }) }
  if (cluster) {
    return new Cluster(
      cluster.map(({ host, port }) => ({ host, port })),
      {
        enableOfflineQueue: false,
        clusterRetryStrategy: backOff,
        // The link decides about a second try; the client would make up to sixteen.
        retryDelayOnFailover: 0,
        slotsRefreshTimeout: 400,
        slotsRefreshInterval: 1000,
        redisOptions: options,
      },
    )
  }
  const lasting: Settings = { ...options, enableOfflineQueue: false, retryStrategy: backOff }
  if (sentinel) {
    return new Redis({
      ...lasting,
      name: sentinel.name,
      sentinels: sentinel.nodes.map(({ host, port }) => ({ host, port })),
      ...(sentinelUsername !== undefined && { sentinelUsername }),
      ...(sentinelPassword !== undefined && { sentinelPassword }),
      ...(place.tls === true && { sentinelTLS: encryption(place), enableTLSForSentinelMode: true }),
    })
  }
  if (url === undefined) throw new TypeError('a Redis needs a url, a cluster or a sentinel')
  return new Redis({ ...lasting, ...readUrl(url, place) })
}

function user({ username, password: setting, passwordFile }: RedisPlace): Settings {
  const password = passwordFrom(passwordFile, 'password_file') ?? setting
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
}

/** What a file says, without the line end that editors and `echo` leave. */
function passwordFrom(file: string | undefined, setting: string): string | undefined {
  if (file === undefined) return undefined
  const password = read(file, setting).replace(/\r?\n$/, '')
  if (password === '') throw new Error(`redis.${setting}: ${file} is empty`)
  return password
}

/** Certificates are always checked, and the name in them too; no setting turns that off. */
function encryption({ ca }: RedisPlace): { readonly ca?: string } {
  return ca === undefined ? {} : { ca: read(ca, 'ca') }
}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`redis.${setting}: ${file} cannot be read (${String(code)})`, { cause: error })
  }
}

/**
 * What a Redis url says. Read here, not by the library: there, `?enableOfflineQueue=true` and the like
 * would win over the options above.
 */
function readUrl(text: string, place: RedisPlace): Settings {
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
    ...(url.protocol === 'rediss:' ? { tls: encryption(place) } : {}),
  }
}
