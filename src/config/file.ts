import type { ListKind } from '../domain/network.ts'
import type { Family } from '../domain/score/score-rule.ts'
import type { StepUp } from '../domain/ticket.ts'
import type { LogFormat, LogLevel, Mode } from './config.ts'

/** What a file says once the schema has passed it; the rules and the defaults come after. */
export interface ConfigFile {
  readonly version: 1
  readonly mode?: Mode
  readonly listen?: string
  readonly ops_listen?: string
  readonly ops_hosts?: readonly string[]
  readonly public_url?: string
  readonly trusted_proxies?: readonly string[]
  readonly tls_fingerprint_header?: string
  readonly client_ip_header?: string
  readonly connections_per_address?: number
  readonly keyring?: string
  readonly redis?: RedisFile
  readonly ledger?: { readonly partitions?: number }
  readonly limits?: Partial<
    Record<'challenge' | 'solve' | 'siteverify' | 'fallback' | 'junk' | 'ticket' | 'invalid_secret', string>
  >
  readonly network?: NetworkFile
  readonly agents?: readonly AgentFile[]
  readonly score?: ScoreFile
  readonly log_level?: LogLevel
  readonly log_format?: LogFormat
  readonly sites: readonly SiteFile[]
}

export interface RedisFile {
  readonly url?: string
  readonly cluster?: readonly string[]
  readonly sentinel?: { readonly name: string; readonly nodes: readonly string[] }
  readonly username?: string
  readonly password?: string
  readonly sentinel_username?: string
  readonly sentinel_password?: string
  readonly password_file?: string
  readonly sentinel_password_file?: string
  readonly tls?: boolean
  readonly ca?: string
  readonly key_prefix?: string
}

export interface NetworkFile {
  readonly mmdb?: readonly string[]
  readonly lists?: readonly { readonly name: string; readonly kind: ListKind; readonly file: string }[]
}

export interface AgentFile {
  readonly name: string
  readonly url?: string
  readonly keys?: string
  readonly ranges?: string
}

export interface ScoreFile {
  readonly base?: number
  readonly weights?: Readonly<Record<string, number>>
  readonly bounds?: Readonly<Partial<Record<Family, readonly [number, number]>>>
  readonly off?: readonly string[]
}

export interface VisitRuleFile {
  readonly name: string
  readonly when: {
    readonly cidr?: readonly string[]
    readonly list?: readonly string[]
    readonly asn?: readonly number[]
    readonly country?: readonly string[]
    readonly user_agent?: readonly string[]
    readonly ja4?: readonly string[]
    readonly agent?: readonly string[]
    readonly action?: readonly string[]
    readonly hour?: string
    readonly zone?: string
  }
  readonly effect: {
    readonly allow?: true
    readonly deny?: true
    readonly score?: number
    readonly work?: number
  }
  readonly until?: string
}

export interface SiteFile {
  readonly sitekey: string
  readonly name?: string
  readonly secrets: readonly { readonly sha256: string; readonly not_after?: string }[]
  readonly hostnames: readonly string[]
  readonly app_origins?: readonly string[]
  readonly actions?: readonly string[]
  readonly default_action?: string
  readonly score_threshold?: number
  readonly token_lifetime?: string
  readonly challenge_lifetime?: string
  readonly work?: {
    readonly level?: number
    readonly max_level?: number
    readonly human_cost?: string
    readonly fallback?: boolean
  }
  readonly shadow_threshold?: number
  readonly reasons?: boolean
  readonly step_up?: StepUp
  readonly agents?: boolean
  readonly passes?: boolean
  readonly score?: ScoreFile
  readonly rules?: readonly VisitRuleFile[]
}
