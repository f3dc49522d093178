import { ACTION } from '../domain/site.ts'
import { type JsonSchema, compile } from '../schema/schema.ts'
import { LOG_LEVELS } from './config.ts'

/** What a file says once the schema has passed it; the rules and the defaults come after. */
export interface ConfigFile {
  readonly version: 1
  readonly listen?: string
  readonly ops_listen?: string
  readonly public_url?: string
  readonly trusted_proxies?: readonly string[]
  readonly keyring?: string
  readonly redis?: RedisFile
  readonly limits?: Partial<Record<'challenge' | 'solve' | 'siteverify' | 'invalid_secret', string>>
  readonly log_level?: (typeof LOG_LEVELS)[number]
  readonly sites: readonly SiteFile[]
}

export interface RedisFile {
  readonly url?: string
  readonly cluster?: readonly string[]
  readonly sentinel?: { readonly name: string; readonly nodes: readonly string[] }
  readonly key_prefix?: string
}

export interface SiteFile {
  readonly sitekey: string
  readonly name?: string
  readonly secrets: readonly { readonly sha256: string; readonly not_after?: string }[]
  readonly hostnames: readonly string[]
  readonly actions?: readonly string[]
  readonly score_threshold?: number
  readonly token_lifetime?: string
  readonly challenge_lifetime?: string
  readonly work?: { readonly level?: number; readonly max_level?: number }
}

const duration = (range: string, preset: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[1-9][0-9]{0,6}[smhd]$',
  wants: range,
  default: preset,
  description,
})
const rate = (preset: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[1-9][0-9]{0,8} per [1-9][0-9]{0,6}[smhd]$',
  wants: `points per length of time, such as "${preset}"`,
  default: preset,
  description,
})
const address = (wants: string, description: string, preset?: string): JsonSchema => ({
  type: 'string',
  wants,
  description,
  ...(preset === undefined ? {} : { default: preset }),
})
const nodes: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  wants: 'a list of at least one host:port',
  items: address('host:port, such as 10.0.0.5:6379', 'One node, host:port; IPv6 in brackets.'),
}

const site: JsonSchema = {
  type: 'object',
  wants: 'a site: sitekey, secrets, hostnames, and its policy',
  description: 'One customer property: its sitekey, its secrets and its policy.',
  additionalProperties: false,
  required: ['sitekey', 'secrets', 'hostnames'],
  properties: {
    sitekey: {
      type: 'string',
      pattern: '^hv_site_[A-Za-z0-9_-]{8,64}$',
      wants: 'hv_site_ and 8 to 64 of A-Z a-z 0-9 _ -',
      description: 'Public name of the site, for data-sitekey. `hv site add` makes one.',
    },
    name: {
      type: 'string',
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$',
      wants: 'text of 1 to 100 characters',
      description: 'For people: dashboards and lists. Left out: the first hostname.',
    },
    secrets: {
      type: 'array',
      minItems: 1,
      maxItems: 8,
      wants: '1 to 8 secrets, each by its hash (hv site add makes one)',
      description: 'What the customer’s server proves itself with. Several overlap while one is being replaced.',
      items: {
        type: 'object',
        wants: 'a secret: sha256, and not_after if it ends',
        additionalProperties: false,
        required: ['sha256'],
        properties: {
          sha256: {
            type: 'string',
            wants: 'the SHA-256 of the secret, 64 lowercase hexadecimal digits',
            description: 'SHA-256 of the secret, 64 lowercase hexadecimal digits; never the secret itself.',
          },
          not_after: {
            type: 'string',
            wants: 'a time with its offset, such as 2027-01-01T00:00:00Z',
            description: 'RFC 3339. From this moment on the secret is refused. Left out: no end.',
          },
        },
      },
    },
    hostnames: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      wants: 'at least one hostname (an empty list accepts none)',
      description: 'Where the widget may run: lowercase, no scheme, port or path. "*.example.com" is every name below.',
      items: { type: 'string', wants: 'a hostname' },
    },
    actions: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      wants: 'at least one action (leave the setting out to allow any)',
      description: 'Actions the site may use, compared exactly. Left out: any well-formed one.',
      items: { type: 'string', pattern: ACTION.source, wants: 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .' },
    },
    score_threshold: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'A visitor passes at score >= this. Higher is stricter; 0 lets everybody pass.',
    },
    token_lifetime: duration('30s to 600s', '120s', 'How long a response token may be verified.'),
    challenge_lifetime: duration(
      '60s to 1h',
      '10m',
      'How long a challenge may be solved; the widget renews it silently.',
    ),
    work: {
      type: 'object',
      wants: 'level and max_level',
      description: 'How much work a visitor’s browser does; each level doubles it.',
      additionalProperties: false,
      properties: {
        level: {
          type: 'number',
          minimum: 0,
          maximum: 8,
          default: 3,
          description: 'For an ordinary visit. Fractions allowed.',
        },
        max_level: {
          type: 'number',
          minimum: 0,
          maximum: 8,
          default: 6,
          description:
            'The most it may rise to with suspicion; at least level. Left out: 6, or level if that is higher.',
        },
      },
    },
  },
}

/** CONTRACT.md, section 2, as far as one value alone can show it; the rest is in rules.ts. */
export const CONFIG_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'human-verification configuration',
  description: 'See config/README.md: unit, range, default and reason of every setting.',
  type: 'object',
  wants: 'a group of settings: version, sites, …',
  additionalProperties: false,
  required: ['version', 'sites'],
  properties: {
    version: { const: 1, description: 'Version of this format.' },
    listen: address(
      'host:port',
      'Where the public API listens. Port 0 picks a free one; IPv6 in brackets.',
      '127.0.0.1:8080',
    ),
    ops_listen: address('host:port', 'Metrics, readiness, dashboard. Never public.', '127.0.0.1:9464'),
    public_url: address(
      'an http or https address without a path, such as https://verify.example.com',
      'What visitors’ browsers reach the service by, and the issuer of its tokens: the same in every process.',
    ),
    trusted_proxies: {
      type: 'array',
      maxItems: 1000,
      uniqueItems: true,
      wants: 'a list of addresses and CIDR ranges',
      default: [],
      description: 'Whose X-Forwarded-For is believed. Empty: nobody’s.',
      items: { type: 'string', wants: 'an address or a CIDR range, such as 10.0.0.0/8' },
    },
    keyring: {
      type: 'string',
      pattern: '^[^\\u0000]{1,1000}$',
      wants: 'the path of the keyring',
      description:
        'File of the signing keys (`hv keygen`), relative to this file. Left out: keys made at start, with the embedded ledger only.',
    },
    redis: {
      type: 'object',
      wants: 'one of url, cluster and sentinel',
      description:
        'The ledger of several processes; exactly one of url, cluster, sentinel. Left out: the embedded ledger, one process.',
      additionalProperties: false,
      properties: {
        url: address(
          'redis:// or rediss://, with host, port and database',
          'redis:// or rediss:// (TLS), user, password, host, port, database.',
        ),
        cluster: { ...nodes, description: 'Some nodes of a Redis Cluster.' },
        sentinel: {
          type: 'object',
          wants: 'name and nodes',
          description: 'A primary that Sentinels watch.',
          additionalProperties: false,
          required: ['name', 'nodes'],
          properties: {
            name: {
              type: 'string',
              pattern: '^[A-Za-z0-9_.-]{1,100}$',
              wants: 'the name the Sentinels know the primary by',
              description: 'The primary’s name.',
            },
            nodes: { ...nodes, description: 'The Sentinels.' },
          },
        },
        key_prefix: {
          type: 'string',
          pattern: '^[a-z0-9_-]{1,32}:$',
          wants: '1 to 32 of a-z 0-9 _ - and a colon, such as "hv:"',
          default: 'hv:',
          description: 'Before every key; another one is another ledger.',
        },
      },
    },
    limits: {
      type: 'object',
      wants: 'rates for challenge, solve, siteverify, invalid_secret',
      description: 'Points per length of time; per visitor address (IPv6: per /64) or per site.',
      additionalProperties: false,
      properties: {
        challenge: rate('60 per 1m', 'Challenges, per visitor address.'),
        solve: rate('60 per 1m', 'Solutions, per visitor address.'),
        siteverify: rate('6000 per 1m', 'Verifications, per site.'),
        invalid_secret: rate('30 per 1m', 'Wrong secrets, per address, against guessing.'),
      },
    },
    log_level: { enum: LOG_LEVELS, default: 'info', description: 'The least important lines that are logged.' },
    sites: {
      type: 'array',
      minItems: 1,
      maxItems: 10_000,
      wants: 'at least one site (hv site add makes one)',
      description: 'Who may use the service.',
      items: site,
    },
  },
}

export const checkShape = compile<ConfigFile>(CONFIG_SCHEMA, { all: true })

/** `config/schema.json`, for editors: the schema that checks, without the keyword that is ours. */
export function publishedSchema(): string {
  const published = JSON.stringify(CONFIG_SCHEMA, (key, value: unknown) => (key === 'wants' ? undefined : value), 2)
  return `${published}\n`
}
