import type { ListKind } from '../domain/network.ts'
import type { Site } from '../domain/site.ts'
import type { Rate } from '../domain/time.ts'

/** Everything that was decided before the first request: checked, complete, deeply frozen. */
export interface Config {
  /** The file it was read from; of a folder, the one that has all but the sites. */
  readonly file: string
  /** The folder it was read from; undefined: one file. */
  readonly folder: string | undefined
  readonly mode: Mode
  readonly listen: Address
  readonly opsListen: Address
  /** Names of the ops listener besides addresses and localhost: lowercase, without port. */
  readonly opsHosts: readonly string[]
  /** Without a trailing slash; the tokens' issuer. All instances of one service share it, or all leave it out. */
  readonly publicUrl: string | undefined
  /** Lower case; believed from `trustedProxies` only. */
  readonly clientIpHeader: string
  /** Connections of one address at a time. */
  readonly connectionsPerAddress: number
  /** Lower case; believed from `trustedProxies` only. */
  readonly tlsFingerprintHeader: string | undefined
  /** CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Absolute path of the keyring; undefined: a key made at start, with the embedded ledger only. */
  readonly keyring: string | undefined
  /** undefined: the embedded ledger, one process. */
  readonly redis: RedisConfig | undefined
  readonly ledger: {
    /** Hash tags the ledger is spread over: 1 to 64, the same in every process. */
    readonly partitions: number
  }
  readonly limits: Limits
  readonly network: NetworkSettings
  readonly agents: readonly AgentSetting[]
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
  readonly sites: readonly Site[]
}

export interface Address {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

export interface RedisConfig {
  /** `redis://` or `rediss://`, with user, password and database; undefined with `cluster` or `sentinel`. */
  readonly url: string | undefined
  readonly cluster: readonly Address[] | undefined
  readonly sentinel: { readonly name: string; readonly nodes: readonly Address[] } | undefined
  /** Of every node, with `cluster` or `sentinel`. */
  readonly username: string | undefined
  readonly password: string | undefined
  /** Of the Sentinels themselves. */
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
  /** Absolute paths of files that hold a password; each in place of one above. */
  readonly passwordFile: string | undefined
  readonly sentinelPasswordFile: string | undefined
  /** TLS to every node and Sentinel; with `url`, its scheme says it. */
  readonly tls: boolean
  /** Absolute path of a PEM file; undefined: the authorities that Node.js trusts. */
  readonly ca: string | undefined
  /** Without the colon: `hv`. The hash tags of all keys begin with it: `{hv}:`. */
  readonly keyPrefix: string
}

export interface Limits {
  /** Per visitor address. */
  readonly challenge: Rate
  readonly solve: Rate
  /** Per site. */
  readonly siteverify: Rate
  /** Challenges for `pb.1`, per visitor address. */
  readonly fallback: Rate
  /** Tokens that cannot be opened, per site. */
  readonly junk: Rate
  /** Tickets per visitor address, and so that each network has its own. */
  readonly ticket: Rate
  /** Wrong secrets per address, counted in memory. */
  readonly invalidSecret: Rate
}

/** Local files that know addresses: absolute paths. */
export interface NetworkSettings {
  readonly mmdb: readonly string[]
  readonly lists: readonly { readonly name: string; readonly kind: ListKind; readonly file: string }[]
}

/** An agent that rules may name: by a file of keys, or by one of addresses. Absolute paths. */
export interface AgentSetting {
  readonly name: string
  /** Where the file is published, and what its signatures name. */
  readonly url: string | undefined
  readonly keys: string | undefined
  readonly ranges: string | undefined
}

/** `test` protects nothing: it plays scenarios for customers' tests. docs/start/testing.md */
export const MODES = ['production', 'test'] as const
export type Mode = (typeof MODES)[number]

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** `json` for programs, `pretty` for people at a terminal. */
export const LOG_FORMATS = ['json', 'pretty'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** The environment variables that override the file, as the program started with them (docs/design/contract.md, "Configuration"), and `NODE_ENV`. */
export interface Environment {
  /** `production` forbids test mode. */
  readonly NODE_ENV?: string | undefined
  readonly HV_CONFIG?: string | undefined
  readonly HV_LISTEN?: string | undefined
  readonly HV_OPS_LISTEN?: string | undefined
  readonly HV_REDIS_URL?: string | undefined
  readonly HV_KEYRING?: string | undefined
  readonly HV_LOG_LEVEL?: string | undefined
}

/** One thing wrong with the configuration. */
export interface Problem {
  /** Where the configuration is a folder: the file in it. Left out: the file of the error. */
  readonly file?: string
  /** Lines and columns from 1; undefined for what an environment variable set. */
  readonly line: number | undefined
  readonly column: number | undefined
  /** `sites[2].score_threshold`, or the environment variable's name. */
  readonly where: string
  /** `wants a number from 0 to 1; got 50 (a percentage? 0.5)`; never the value of a secret. */
  readonly says: string
}

/** The configuration cannot be used. Holds every problem at once. */
export class ConfigError extends Error {
  readonly file: string
  readonly problems: readonly Problem[]

  constructor(file: string, problems: readonly Problem[]) {
    super(`${file}: ${problems.length} to fix`)
    this.name = 'ConfigError'
    this.file = file
    this.problems = problems
  }
}
