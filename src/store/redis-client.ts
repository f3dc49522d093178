import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
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

/** With the library's defaults a request waits for more than 12 s, and a dead host is never abandoned. */
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
  // A socket that we close is destroyed after this; the default of 2 s would be most of the time to recover.
  disconnectTimeout: 300,
  // While Redis loads its file, look again this often; the default is the server's own estimate, up to 10 s.
  maxLoadingRetryTime: 200,
  sentinelRetryStrategy: backOff,
  sentinelCommandTimeout: 400,
} as const satisfies RedisOptions

/**
 * Starts connecting at once.
 *
 * @throws {Error} with a sentence for the operator, when the file of the authority or of a password cannot be read.
 */
export function redisClient(place: RedisPlace): Redis | Cluster {
  const { cluster, sentinel, url } = place
  const isEncrypted = place.tls === true
  const settings: Settings = { ...OPTIONS, ...settingsOf(place) }
  if (cluster) {
    const reached = (node: RedisNode) => ({ ...node, ...(isEncrypted && { tls: { ...settings.tls, ...sni(node) } }) })
    return refreshed(
      new Cluster(cluster.map(reached), {
        enableOfflineQueue: false,
        clusterRetryStrategy: backOff,
        // `ask` decides about a second try; the client would make up to sixteen.
        retryDelayOnFailover: 0,
        slotsRefreshTimeout: 400,
        natMap: (at) => reached(nodeAt(at)),
        // A certificate is for the name, not for the address that the library would look up first.
        ...(isEncrypted && { dnsLookup: (name, then) => then(null, name) }),
        redisOptions: settings,
      }),
    )
  }
  const lasting = { ...settings, enableOfflineQueue: false, retryStrategy: backOff }
  if (sentinel) {
    const { name, nodes } = sentinel
    const [first, ...others] = nodes
    // The library has one setting for all Sentinels: they get a name where they share it.
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
const nodeAt = (at: string): RedisNode => ({ host: at.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(at)) })

/**
 * Leaves a server that cannot serve, once for each connection: every reply in flight says the same, and each would close the
 * socket again.
 */
function leavingOnce(client: Redis): Redis {
  let leaves = false
  client.on('close', () => (leaves = false))
  client.options.reconnectOnError = (error) => !leaves && (leaves = isToLeave(error))
  return client
}

/**
 * Asks for the slots once a second while there is a connection. Not by `slotsRefreshInterval`: a client of ioredis 6.0 that is
 * closed while it asks sets that timer again for ever, and the process does not end.
 */
function refreshed(cluster: Cluster): Cluster {
  let timer: NodeJS.Timeout | undefined
  cluster.on('ready', () => {
    clearInterval(timer)
    timer = setInterval(() => cluster.refreshSlotsCache(), 1000)
  })
  cluster.on('close', () => clearInterval(timer))
  cluster.on('+node', leavingOnce)
  return cluster
}

/** Returns the settings that name one server, or the user and TLS of every node. */
function settingsOf(place: RedisPlace): Settings {
  const { url, username, password } = place
  const user = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
  const server = url === undefined ? {} : readUrl(url)
  return {
    ...user,
    ...server,
    ...(url?.startsWith('rediss:') || place.tls === true ? { tls: { ...authority(place), ...sni(server) } } : {}),
    ...(place.sentinelUsername !== undefined && { sentinelUsername: place.sentinelUsername }),
    ...(place.sentinelPassword !== undefined && { sentinelPassword: place.sentinelPassword }),
    ...readPasswords(place),
  }
}

/**
 * Takes the passwords of the next connection from their files, so that a password can be rotated.
 *
 * @throws {Error} as `redisClient`; the next connection has the passwords of the last.
 */
export function readPasswordsAgain(client: Redis | Cluster, place: RedisPlace): void {
  const passwords = readPasswords(place)
  if (client instanceof Cluster) Object.assign(client.options.redisOptions!, passwords)
  const nodes = client instanceof Cluster ? client.nodes('all') : [client]
  for (const node of nodes) Object.assign(node.options, passwords)
}

/** Returns what may be wrong with the password that a server refused; undefined: nothing is seen. */
export function passwordHint({ options }: Redis | Cluster): string | undefined {
  const { password } = (('redisOptions' in options ? options.redisOptions : options) ?? {}) as Settings
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

/** Reads a password without the byte order mark and the line end that editors and `echo` leave. */
function passwordFrom(file: string, setting: string): string {
  const password = read(file, setting)
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
  if (password === '') throw new Error(`redis.${setting}: ${file} is empty`)
  return password
}

/** Certificates are always checked, and the name in them too; no setting turns that off. */
const authority = ({ ca }: RedisPlace): { readonly ca?: string } => (ca === undefined ? {} : { ca: read(ca, 'ca') })

/** Names the host in the handshake, as every HTTPS client does and `tls.connect` does not; an address is no name (RFC 6066). */
const sni = ({ host = '' }: { readonly host?: string | undefined }): { readonly servername?: string } =>
  isIP(host) === 0 && host !== '' ? { servername: host } : {}

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
