import { dirname, resolve } from 'node:path'
import { leastHumanCost } from '../domain/human-cost.ts'
import type { Site } from '../domain/site.ts'
import { parseDuration, parseRate } from '../domain/time.ts'
import { type VisitRule, visitRule } from '../domain/visit-rules.ts'
import { changedWeights } from '../domain/weights.ts'
import { seconds, type Sitekey } from '../domain/words.ts'
import { asRange, parseHostPort } from './addresses.ts'
import type { Config, NetworkSettings, RedisConfig } from './config.ts'
import { DEFAULTS } from './defaults.ts'
import { deepFreeze } from './freeze.ts'
import type { ConfigFile, NetworkFile, RedisFile, ScoreFile, SiteFile, VisitRuleFile } from './file.ts'
import { parseMoment } from './secrets.ts'

/** Where relative paths start. */
export interface Places {
  /** The configuration file, absolute or relative to `cwd`. */
  readonly file: string
  readonly folder: string | undefined
  readonly cwd: string
  /** Whether the keyring's path came from the environment: then it is relative to `cwd`, not to the file. */
  readonly keyringFromEnvironment: boolean
}

/** Fills in what was left out. Only for a file that the schema and the rules have passed. */
export function build(file: ConfigFile, places: Places): Config {
  const limits = { ...DEFAULTS.limits, ...file.limits }
  return deepFreeze({
    file: places.file,
    folder: places.folder,
    mode: file.mode ?? DEFAULTS.mode,
    listen: parsed(parseHostPort(file.listen ?? DEFAULTS.listen)),
    opsListen: parsed(parseHostPort(file.ops_listen ?? DEFAULTS.ops_listen)),
    publicUrl: file.public_url?.replace(/\/$/, ''),
    tlsFingerprintHeader: file.tls_fingerprint_header?.toLowerCase(),
    trustedProxies: (file.trusted_proxies ?? []).map(asRange),
    keyring: file.keyring === undefined ? undefined : keyringPath(file.keyring, places),
    redis: file.redis === undefined ? undefined : redisConfig(file.redis, places),
    ledger: { partitions: file.ledger?.partitions ?? DEFAULTS.partitions },
    limits: {
      challenge: parsed(parseRate(limits.challenge)),
      solve: parsed(parseRate(limits.solve)),
      siteverify: parsed(parseRate(limits.siteverify)),
      fallback: parsed(parseRate(limits.fallback)),
      invalidSecret: parsed(parseRate(limits.invalid_secret)),
    },
    network: networkSettings(file.network ?? {}, places),
    logLevel: file.log_level ?? DEFAULTS.log_level,
    logFormat: file.log_format ?? DEFAULTS.log_format,
    sites: file.sites.map((site) => siteOf(site, file.score ?? {})),
  })
}

function keyringPath(keyring: string, { file, cwd, keyringFromEnvironment }: Places): string {
  return resolve(keyringFromEnvironment ? cwd : dirname(resolve(cwd, file)), keyring)
}

function redisConfig(file: RedisFile, { file: configFile, cwd }: Places): RedisConfig {
  const { url, cluster, sentinel, ca, key_prefix: prefix = DEFAULTS.key_prefix } = file
  return {
    url,
    cluster: cluster?.map((node) => parsed(parseHostPort(node))),
    sentinel: sentinel && { name: sentinel.name, nodes: sentinel.nodes.map((node) => parsed(parseHostPort(node))) },
    username: file.username,
    password: file.password,
    sentinelUsername: file.sentinel_username,
    sentinelPassword: file.sentinel_password,
    tls: file.tls ?? false,
    ca: ca === undefined ? undefined : resolve(dirname(resolve(cwd, configFile)), ca),
    keyPrefix: prefix.slice(0, -1),
  }
}

function networkSettings({ mmdb = [], lists = [] }: NetworkFile, { file, cwd }: Places): NetworkSettings {
  const besides = (path: string): string => resolve(dirname(resolve(cwd, file)), path)
  return {
    mmdb: mmdb.map(besides),
    lists: lists.map((list) => ({ name: list.name, kind: list.kind, file: besides(list.file) })),
  }
}

function siteOf(site: SiteFile, score: ScoreFile): Site {
  const level = site.work?.level ?? DEFAULTS.level
  const least = leastHumanCost(level)
  const humanCost = parsed(parseDuration(site.work?.human_cost ?? DEFAULTS.human_cost))
  return {
    sitekey: site.sitekey as Sitekey,
    name: site.name ?? site.hostnames[0]!,
    secrets: site.secrets.map(({ sha256, not_after: end }) => ({
      sha256,
      notAfter: end === undefined ? undefined : parsed(parseMoment(end)),
    })),
    hostnames: site.hostnames,
    actions: site.actions,
    scoreThreshold: site.score_threshold ?? DEFAULTS.score_threshold,
    tokenLifetime: parsed(parseDuration(site.token_lifetime ?? DEFAULTS.token_lifetime)),
    challengeLifetime: parsed(parseDuration(site.challenge_lifetime ?? DEFAULTS.challenge_lifetime)),
    work: {
      level,
      maxLevel: site.work?.max_level ?? Math.max(level, DEFAULTS.max_level),
      humanCost: site.work?.human_cost === undefined ? seconds(Math.max(humanCost, least)) : humanCost,
      fallback: site.work?.fallback ?? DEFAULTS.fallback,
    },
    receipt: site.receipt ?? DEFAULTS.receipt,
    shadowThreshold: site.shadow_threshold,
    reasons: site.reasons ?? DEFAULTS.reasons,
    rules: (site.rules ?? []).map(visitRuleOf),
    weights: changedWeights(score, site.score ?? {}),
  }
}

function visitRuleOf({ name, when, effect, until }: VisitRuleFile): VisitRule {
  const { user_agent: userAgent, ...others } = when
  const { allow, deny, score = 0, work } = effect
  return visitRule({
    name,
    when: { ...others, ...(userAgent && { userAgent }) },
    effect: allow ? { kind: 'allow' } : deny ? { kind: 'deny' } : { kind: 'adjust', score, work },
    until: until === undefined ? undefined : parsed(parseMoment(until)),
  })
}

/** The rules have read it before; were they wrong, the service must not start on half a setting. */
function parsed<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a rule passed a setting that cannot be read')
  return value
}
