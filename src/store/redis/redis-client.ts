import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { parseRedisUrl, type RedisAddress } from '../../domain/redis-url.ts'
import { isToLeave } from './redis-failure.ts'

/** Where Redis is; exactly one of `url`, `cluster` and `sentinel`. The shape of `redis` in the configuration. */
export interface RedisPlace {
  /** `redis://` or `rediss://`, with user, password and database. Holds a secret: never log it. */
  readonly url?: string | undefined
  readonly cluster?: readonly RedisNode[] | undefined
  readonly sentinel?: { readonly name: string; readonly nodes: readonly RedisNode[] } | undefined
  /** ACL user and password of every node, with `cluster` or `sentinel`. */
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** User and password of the Sentinels. */
  readonly sentinelUsername?: string | undefined
  readonly sentinelPassword?: string | undefined
  /** Paths of files that contain a password, each instead of one above. */
  readonly passwordFile?: string | undefined
  readonly sentinelPasswordFile?: string | undefined
  /** Whether to use TLS to every node and Sentinel; with `url`, its scheme decides. */
  readonly tls?: boolean
  /** Path of a PEM file with the authority of the servers' certificates. */
  readonly ca?: string | undefined
  /** Without the colon: `hv`. */
  readonly keyPrefix: string
}

interface RedisNode {
  readonly host: string
  readonly port: number
}

/** The library selects its types by `replyMapping`; we use the default. */
type Settings = Omit<RedisOptions, 'replyMapping'>

/** Milliseconds until the next attempt to connect, from 50 to 500; it never gives up. */
const backOff = (times: number): number => Math.min(50 * times, 500)

/** With the library's defaults a request can wait for more than 12 s, and a dead host is never left. */
const OPTIONS = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 1000,
  connectTimeout: 1000,
  failoverDetector: false,
  // RESP2: Redis 5 knows no HELLO, and 6 and later need none.
  protocol: 2,
  // No CLIENT SETINFO: the recommended ACL does not allow it.
  disableClientInfo: true,
  // How long until a socket that we closed is destroyed; the default of 2 s would dominate the time to recover.
  disconnectTimeout: 300,
  // How long until the next check while Redis loads its file; the default is the server's estimate, up to 10 s.
  maxLoadingRetryTime: 200,
  sentinelRetryStrategy: backOff,
  sentinelCommandTimeout: 400,
} as const satisfies RedisOptions

/**
 * Creates a client, which starts to connect at once.
 *
 * @throws {Error} with a sentence for the operator, if the file of the authority or of a password cannot be read.
 */
export function redisClient(place: RedisPlace): Redis | Cluster {
  const { cluster, sentinel, url } = place
  const isEncrypted = place.tls === true
  const settings: Settings = { ...OPTIONS, ...settingsOf(place) }
  if (cluster) {
    const withTls = (node: RedisNode) => ({
      ...node,
      ...(isEncrypted && { tls: { ...settings.tls, ...sni(node) } }),
    })
    return refreshEverySecond(
      new Cluster(cluster.map(withTls), {
        enableOfflineQueue: false,
        clusterRetryStrategy: backOff,
        // `ask` decides whether to retry; the client would try up to sixteen times.
        retryDelayOnFailover: 0,
        slotsRefreshTimeout: 400,
        natMap: (at) => withTls(nodeAt(at)),
        // The certificate has the name, not the address that the library would look up first.
        ...(isEncrypted && { dnsLookup: (name, then) => then(null, name) }),
        redisOptions: settings,
      }),
    )
  }
  const lasting = { ...settings, enableOfflineQueue: false, retryStrategy: backOff }
  if (sentinel) {
    const { name, nodes } = sentinel
    const [first, ...others] = nodes
    // The library has one TLS setting for all Sentinels, so they get a name only if they share it.
    const shared = others.every(({ host }) => host === first?.host) ? sni(first!) : {}
    const encrypted = isEncrypted && {
      sentinelTLS: { ...settings.tls, ...shared },
      enableTLSForSentinelMode: true,
      natMap: (at: string) => ({ ...nodeAt(at), ...sni(nodeAt(at)) }),
    }
    return leavingOnce(new Redis({ ...lasting, name, sentinels: [...nodes], ...encrypted }))
  }
  if (url === undefined) throw new TypeError('a Redis needs a url, a cluster or a sentinel')
  return leavingOnce(new Redis(lasting))
}

/** Reads `host:port`, as the library spells a node. */
const nodeAt = (at: string): RedisNode => ({
  host: at.replace(/:\d+$/, ''),
  port: Number(/\d+$/.exec(at)),
})

/**
 * Leaves a server that cannot serve, once per connection: each reply in flight has the same error and would close the socket
 * again.
 */
function leavingOnce(client: Redis): Redis {
  let leaves = false
  client.on('close', () => {
    leaves = false
  })
  client.options.reconnectOnError = (error) => {
    const isFirst = !leaves && isToLeave(error)
    leaves ||= isFirst
    return isFirst
  }
  return client
}

/**
 * Refreshes the slots once a second while connected. Not with `slotsRefreshInterval`: an ioredis 6.0 client that is closed during
 * a refresh restarts that timer forever, and the process does not exit.
 */
function refreshEverySecond(cluster: Cluster): Cluster {
  let timer: NodeJS.Timeout | undefined
  cluster.on('ready', () => {
    clearInterval(timer)
    timer = setInterval(() => cluster.refreshSlotsCache(), 1000)
  })
  cluster.on('close', () => clearInterval(timer))
  cluster.on('+node', leavingOnce)
  return cluster
}

/** Returns the settings of one server, or the user and TLS of every node. */
function settingsOf(place: RedisPlace): Settings {
  const { url, username, password } = place
  const user = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  }
  const server = url === undefined ? {} : readUrl(url)
  return {
    ...user,
    ...server,
    ...(url?.startsWith('rediss:') || place.tls === true
      ? { tls: { ...authority(place), ...sni(server) } }
      : {}),
    ...(place.sentinelUsername !== undefined && { sentinelUsername: place.sentinelUsername }),
    ...(place.sentinelPassword !== undefined && { sentinelPassword: place.sentinelPassword }),
    ...readPasswords(place),
  }
}

/**
 * Reads the passwords of the next connection from their files, so that they can be rotated.
 *
 * @throws {Error} as `redisClient`; the next connection then uses the same passwords as the last.
 */
export function readPasswordsAgain(client: Redis | Cluster, place: RedisPlace): void {
  const passwords = readPasswords(place)
  if (client instanceof Cluster) Object.assign(client.options.redisOptions!, passwords)
  const nodes = client instanceof Cluster ? client.nodes('all') : [client]
  for (const node of nodes) Object.assign(node.options, passwords)
}

/** Returns what may be wrong with the password that a server refused, or undefined. */
export function passwordHint({ options }: Redis | Cluster): string | undefined {
  const { password } = (('redisOptions' in options ? options.redisOptions : options) ??
    {}) as Settings
  return /\s$/.test(password ?? '')
    ? 'the password ends with a space or an empty line: remove it from the file'
    : undefined
}

function readPasswords({ passwordFile, sentinelPasswordFile }: RedisPlace): Settings {
  return {
    ...(passwordFile !== undefined && { password: passwordFrom(passwordFile, 'password_file') }),
    ...(sentinelPasswordFile !== undefined && {
      sentinelPassword: passwordFrom(sentinelPasswordFile, 'sentinel_password_file'),
    }),
  }
}

/** Reads a password without the byte order mark and the final line break that editors and `echo` add. */
function passwordFrom(file: string, setting: string): string {
  const password = read(file, setting)
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
  if (password === '') throw new Error(`redis.${setting}: ${file} is empty`)
  return password
}

/** Certificates and their names are always checked; no setting turns that off. */
const authority = ({ ca }: RedisPlace): { readonly ca?: string } =>
  ca === undefined ? {} : { ca: read(ca, 'ca') }

/** Returns the server name for the handshake, which `tls.connect` does not set by itself; an address is not allowed (RFC 6066). */
const sni = ({
  host = '',
}: {
  readonly host?: string | undefined
}): { readonly servername?: string } =>
  isIP(host) === 0 && host !== '' ? { servername: host } : {}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`redis.${setting}: ${file} cannot be read (${String(code)})`, { cause: error })
  }
}

/** Reads a Redis url; the library's own reader would let a query such as `?enableOfflineQueue=true` override our settings. */
function readUrl(text: string): RedisAddress {
  const address = parseRedisUrl(text)
  if (typeof address !== 'string') return address
  const hint = address === '' ? '' : `: ${address}`
  throw new TypeError(
    `a Redis url is redis:// or rediss://, with host, port and a database number${hint}`,
  )
}
