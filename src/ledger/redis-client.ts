import { Cluster, Redis, type RedisOptions } from 'ioredis'

/** Where Redis is; exactly one of `url`, `cluster` and `sentinel`. The shape of `redis` in the configuration. */
export interface RedisPlace {
  /** `redis://` or `rediss://`, with user, password and database. Holds a secret: never log it. */
  readonly url: string | undefined
  readonly cluster: readonly RedisNode[] | undefined
  readonly sentinel: { readonly name: string; readonly nodes: readonly RedisNode[] } | undefined
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
 * THREATS.md, section 2, "Redis client options (MUST)": the library's defaults keep a request for more than 12 s,
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

/** Starts connecting at once, and never stops trying. */
export function redisClient(place: RedisPlace): Redis | Cluster {
  if (place.cluster) {
    return new Cluster(
      place.cluster.map(({ host, port }) => ({ host, port })),
      {
        enableOfflineQueue: false,
        clusterRetryStrategy: backOff,
        // The link decides about a second try; the client would make up to sixteen.
        retryDelayOnFailover: 0,
        slotsRefreshTimeout: 400,
        slotsRefreshInterval: 1000,
        redisOptions: { ...MUST, ...OURS },
      },
    )
  }
  const options: Settings = { ...MUST, ...OURS, enableOfflineQueue: false, retryStrategy: backOff }
  if (place.sentinel) {
    const { name, nodes } = place.sentinel
    return new Redis({ ...options, name, sentinels: nodes.map(({ host, port }) => ({ host, port })) })
  }
  if (place.url === undefined) throw new TypeError('a Redis needs a url, a cluster or a sentinel')
  return new Redis({ ...options, ...readUrl(place.url) })
}

/**
 * What a Redis url says. Read here, not by the library: there, `?enableOfflineQueue=true` and the like
 * would win over the options above.
 */
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
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  }
}
