import { dirname, resolve } from 'node:path'
import { leastHumanCost } from '../domain/work/human-cost.ts'
import type { Site } from '../domain/site.ts'
import { parseDuration, parseRate } from '../domain/time.ts'
import { type VisitRule, visitRule } from '../domain/site-rules/visit-rules.ts'
import { changedWeights } from '../domain/score/weights.ts'
import { seconds, type Sitekey } from '../domain/words.ts'
import { asRange, parseHostPort } from './checks/addresses.ts'
import type { Config, NetworkSettings, RedisConfig } from './config.ts'
import { DEFAULTS } from './defaults.ts'
import { deepFreeze } from './freeze.ts'
import type { ConfigFile, NetworkFile, RedisFile, ScoreFile, SiteFile, VisitRuleFile } from './file.ts'
import { parseMoment } from './checks/secrets.ts'

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
    opsHosts: (file.ops_hosts ?? []).map((name) => name.toLowerCase()),
    publicUrl: file.public_url?.replace(/\/$/, ''),
    tlsFingerprintHeader: file.tls_fingerprint_header?.toLowerCase(),
    clientIpHeader: (file.client_ip_header ?? DEFAULTS.client_ip_header).toLowerCase(),
    connectionsPerAddress: file.connections_per_address ?? DEFAULTS.connections_per_address,
    trustedProxies: (file.trusted_proxies ?? []).map(asRange),
    keyring: file.keyring === undefined ? undefined : keyringPath(file.keyring, places),
    redis: file.redis === undefined ? undefined : redisConfig(file.redis, places),
    ledger: { partitions: file.ledger?.partitions ?? DEFAULTS.partitions },
    limits: {
      challenge: parsed(parseRate(limits.challenge)),
      solve: parsed(parseRate(limits.solve)),
      siteverify: parsed(parseRate(limits.siteverify)),
      fallback: parsed(parseRate(limits.fallback)),
      junk: parsed(parseRate(limits.junk)),
      ticket: parsed(parseRate(limits.ticket)),
      invalidSecret: parsed(parseRate(limits.invalid_secret)),
    },
    network: networkSettings(file.network ?? {}, places),
    agents: (file.agents ?? []).map(({ name, url, keys, ranges }) => ({
      name,
      url,
      keys: keys && besideFile(keys, places),
      ranges: ranges && besideFile(ranges, places),
    })),
    logLevel: file.log_level ?? DEFAULTS.log_level,
    logFormat: file.log_format ?? DEFAULTS.log_format,
    sites: file.sites.map((site) => siteOf(site, file.score ?? {})),
  })
}

function keyringPath(keyring: string, { file, cwd, keyringFromEnvironment }: Places): string {
  return resolve(keyringFromEnvironment ? cwd : dirname(resolve(cwd, file)), keyring)
}

function redisConfig(file: RedisFile, places: Places): RedisConfig {
  const { url, cluster, sentinel, ca, password_file: secret, sentinel_password_file: sentinelSecret } = file
  const { key_prefix: prefix = DEFAULTS.key_prefix } = file
  return {
    url,
    cluster: cluster?.map((node) => parsed(parseHostPort(node))),
    sentinel: sentinel && { name: sentinel.name, nodes: sentinel.nodes.map((node) => parsed(parseHostPort(node))) },
    username: file.username,
    password: file.password,
    sentinelUsername: file.sentinel_username,
    sentinelPassword: file.sentinel_password,
    tls: file.tls ?? false,
    passwordFile: secret && besideFile(secret, places),
    sentinelPasswordFile: sentinelSecret && besideFile(sentinelSecret, places),
    ca: ca && besideFile(ca, places),
    keyPrefix: prefix.slice(0, -1),
  }
}

const besideFile = (path: string, { file, cwd }: Places): string => resolve(dirname(resolve(cwd, file)), path)

function networkSettings({ mmdb = [], lists = [] }: NetworkFile, places: Places): NetworkSettings {
  return {
    mmdb: mmdb.map((path) => besideFile(path, places)),
    lists: lists.map((list) => ({ name: list.name, kind: list.kind, file: besideFile(list.file, places) })),
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
    appOrigins: site.app_origins,
    actions: site.actions,
    defaultAction: site.default_action ?? (site.actions?.length === 1 ? site.actions[0] : undefined),
    scoreThreshold: site.score_threshold ?? DEFAULTS.score_threshold,
    tokenLifetime: parsed(parseDuration(site.token_lifetime ?? DEFAULTS.token_lifetime)),
    challengeLifetime: parsed(parseDuration(site.challenge_lifetime ?? DEFAULTS.challenge_lifetime)),
    work: {
      level,
      maxLevel: site.work?.max_level ?? DEFAULTS.max_level,
      humanCost: site.work?.human_cost === undefined ? seconds(Math.max(humanCost, least)) : humanCost,
      fallback: site.work?.fallback ?? DEFAULTS.fallback,
    },
    shadowThreshold: site.shadow_threshold,
    reasons: site.reasons ?? DEFAULTS.reasons,
    passes: site.passes ?? DEFAULTS.passes,
    stepUp: site.step_up ?? DEFAULTS.step_up,
    agents: site.agents ?? DEFAULTS.agents,
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
