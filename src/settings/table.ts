/**
 * THE table of settings. An entry has type, check, default, range, example and documentation; the types of the code, the schemas
 * for editors and the reference in config/README.md are generated from it.
 *
 * Keywords besides those of JSON Schema: `expected`, a noun phrase for problems and pages, which schema/json-schema.ts otherwise
 * makes; `kind`, the meaning of a text (schema/kinds.ts). Settings with a `default` are never undefined. See also checks.ts.
 */
import {
  type Static,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { AGENT_NAME } from '../domain/named-agent.ts'
import { LIST_KINDS } from '../domain/network.ts'
import { ACTION, STEP_UPS } from '../domain/site.ts'
import { SCORE_FAMILIES } from '../domain/weights.ts'
import type { Sitekey } from '../domain/words.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { KindName, KindOptions, KindValue } from '../schema/kinds.ts'

type Words = Pick<JsonSchema, 'description' | 'expected' | 'default' | 'examples'>
type Members<P extends TProperties> = {
  [K in keyof P as K extends `${infer Name}?` ? Name : K]: K extends `${string}?`
    ? TOptional<P[K]>
    : P[K]
}
/** A group of settings; those whose name ends with `?` are optional. */
function group<P extends TProperties>(
  settings: P,
  words: Words & Pick<JsonSchema, 'minProperties' | 'never'>,
) {
  const properties = Object.entries(settings).map(([name, setting]) =>
    name.endsWith('?') ? [name.slice(0, -1), Type.Optional(setting)] : [name, setting],
  )
  return Type.Object(Object.fromEntries(properties) as Members<P>, {
    additionalProperties: false,
    ...words,
  })
}
/** A group that may be omitted, since each of its settings has a default or is optional. */
const presets = <P extends TProperties>(properties: P, description: string) =>
  group(properties, { default: {}, description })
/** A list of at most `maxItems` items. */
const list = <T extends TSchema>(
  maxItems: number,
  items: T,
  words: Words & { minItems?: number },
) => Type.Array(items, { maxItems, uniqueItems: !('properties' in items), ...words })
const flag = (preset: boolean, description: string) =>
  Type.Boolean({ default: preset, description })
const choice = <T extends string>(values: readonly T[], words: Words) =>
  Type.Unsafe<T>({ enum: values, ...words })
const pattern = <T extends string = string>(regexp: RegExp, expected: string, words: Words = {}) =>
  Type.Unsafe<T>({ type: 'string', pattern: regexp.source, expected, ...words })
declare const READS: unique symbol
/** A text that stands for another value. */
type Text<Value> = string & { readonly [READS]: Value }
type Is<K extends KindName> = K | (KindOptions & { readonly is: K })
const kind = <K extends KindName>(
  is: Is<K>,
  expected: string,
  words: Words & Pick<JsonSchema, 'pattern'> = {},
) =>
  Type.Unsafe<Text<KindValue<K>>>({
    type: 'string',
    kind: typeof is === 'string' ? { is } : is,
    expected,
    ...words,
  })
const rate = (preset: string, description: string) =>
  kind('rate', `a rate such as "${preset}"`, { default: preset, description })
const duration = (min: string, max: string, words: Words) =>
  kind({ is: 'duration', min, max }, `${min} to ${max}`, words)
const moment = (description: string) =>
  kind('moment', 'a time with its offset, such as 2027-01-01T00:00:00Z', {
    description,
    examples: ['2027-01-01T00:00:00Z'],
  })
const path = (example: string, description: string, expected = 'the path of a file') =>
  kind('path', expected, { pattern: '^[^\\u0000]{1,1000}$', examples: [example], description })
const header = (example: string, words: Words) =>
  kind('lowercase', `the name of a header, such as ${example}`, {
    pattern: '^[A-Za-z][A-Za-z0-9-]{1,63}$',
    ...words,
  })
const number = (minimum: number, maximum: number, words: Words) =>
  Type.Number({ minimum, maximum, ...words })
const integer = (minimum: number, maximum: number, words: Words) =>
  Type.Integer({ minimum, maximum, ...words })
const action = (words: Words = {}) =>
  pattern(ACTION, 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .', words)
const name = (most: number, words: Words) =>
  pattern(new RegExp(`^[a-z0-9][a-z0-9_-]{0,${most - 1}}$`), `1 to ${most} of a-z 0-9 _ -`, words)
const port = (description: string, preset: string) =>
  kind('host:port', 'host:port', { default: preset, description })

const nodes = (description: string) =>
  list(100, kind({ is: 'host:port', leastPort: 1 }, 'host:port, such as 10.0.0.5:6379'), {
    minItems: 1,
    examples: [['redis-1.internal:6379', 'redis-2.internal:6379']],
    description,
  })
/** Redis accepts only visible ASCII characters. */
const username = (description: string) =>
  pattern(/^[!-~]{1,100}$/, 'the name of an ACL user', { examples: ['hv'], description })
const password = (description: string) =>
  kind('password', 'a password: text in quotes', {
    pattern: '^[^\\u0000-\\u001f]{1,500}$',
    examples: ['replace me'],
    description,
  })
const passwordFile = (example: string, description: string) =>
  path(example, description, 'the path of a file with a password')

const REDIS = group(
  {
    'url?': kind('redis-url', 'redis:// or rediss://, with host, port and database', {
      examples: ['rediss://hv:replace-me@redis.internal:6379/0'],
      description:
        'redis:// or rediss:// (TLS), user, password, host, port, database. HV_REDIS_URL overrides it.',
    }),
    'cluster?': nodes('Some nodes of a Redis Cluster, host:port; IPv6 in brackets.'),
    'sentinel?': group(
      {
        name: pattern(/^[A-Za-z0-9_.-]{1,100}$/, 'the name the Sentinels know the primary by', {
          examples: ['hv-primary'],
          description: 'The primary’s name.',
        }),
        nodes: nodes('The Sentinels.'),
      },
      { description: 'A primary that Sentinels watch.' },
    ),
    'username?': username(
      'ACL user of every node, with cluster or sentinel; with url it is part of the url.',
    ),
    'password?': password(
      'Password of every node, with cluster or sentinel; with url it is part of the url.',
    ),
    'sentinel_username?': username('ACL user of the Sentinels themselves.'),
    'sentinel_password?': password('Password of the Sentinels themselves.'),
    'password_file?': passwordFile(
      'redis-password',
      'Password of every node; also for a url with a user alone.',
    ),
    'sentinel_password_file?': passwordFile(
      'sentinel-password',
      'Password of the Sentinels themselves.',
    ),
    tls: flag(
      false,
      'TLS to every node and every Sentinel, with cluster or sentinel; with url, use rediss://.',
    ),
    'ca?': path(
      'redis-ca.pem',
      'Certificate authority of the servers. If omitted: those of Node.js.',
      'a PEM file',
    ),
    key_prefix: kind('key-prefix', '1 to 32 of a-z 0-9 _ - and a colon, such as "hv:"', {
      pattern: '^[a-z0-9_-]{1,32}:$',
      default: 'hv:',
      description: 'Prefix of every key; another prefix is another ledger.',
    }),
  },
  {
    expected: 'one of url, cluster and sentinel',
    description:
      'The ledger of several processes, by url, cluster or sentinel. If omitted: embedded, one process.',
  },
)

const LIMITS = presets(
  {
    challenge: rate(
      '20 per 2s',
      'Challenges, per visitor address. A challenge beyond this rate asks for twice the work, and one beyond 25 times this rate is refused. Unreadable, wrong, made-up and repeated solutions have a budget of the same rate, and are refused beyond it.',
    ),
    solve: rate(
      '18 per 1m',
      'Correct solutions, per visitor address and site. 18 per 1m means 60 at once, and 18 more each minute. A /56 has twice that, a /48 and a /24 sixteen times.',
    ),
    siteverify: rate(
      '6000 per 1m',
      'Verifications, per site, counted after the secret was checked.',
    ),
    fallback: rate(
      '10 per 1m',
      'Solutions by the work of browsers without a JIT, per visitor address and site.',
    ),
    junk: rate(
      '600 per 1m',
      'Invalid, expired or used tokens, per site; they do not count in limits.siteverify. One sender (an IPv4 address, an IPv6 /56) has a twentieth of it, at least ten: by remoteip, or of a used token by the address that solved it.',
    ),
    ticket: rate(
      '2 per 1h',
      'Second tries after a low score whose work was done, per visitor address and site; with step_up: managed, a try is free where nothing speaks against the visit. A /56 has twice that, a /48 and a /24 sixteen times.',
    ),
    invalid_secret: rate(
      '30 per 1m',
      'Wrong secrets, per address, counted in memory, against guessing.',
    ),
  },
  'Points per length of time, 1s to 1d; per visitor address (IPv6: per /64) or per site. All points may be used at once. The points of solve, fallback and ticket return one by one, each after its share of the time. Those of the other limits return together, when the time since the first use has passed.',
)

const NETWORK = presets(
  {
    mmdb: list(8, path('geo/country.mmdb', ''), {
      default: [],
      examples: [['geo/country.mmdb']],
      description:
        'MMDB files of countries and networks (ASN), relative to this file; the first match counts.',
    }),
    lists: list(
      50,
      group(
        {
          name: name(32, { examples: ['tor'], description: 'For rules and the log; unique.' }),
          kind: choice(Object.keys(LIST_KINDS) as (keyof typeof LIST_KINDS)[], {
            description: 'The kind of list.',
          }),
          file: path('lists/tor.txt', 'Relative to this file; at most 64 MiB.'),
        },
        {},
      ),
      {
        default: [],
        description: 'Lists of addresses and CIDR ranges, one a line, # for comments.',
      },
    ),
  },
  'Local files about addresses. Read at start and whenever they change; no other host is contacted.',
)

const AGENT = group(
  {
    name: pattern(AGENT_NAME, '1 to 20 of a-z 0-9 _ -', {
      examples: ['chatgpt'],
      description:
        'For rules, the log and siteverify. "any" is reserved: in a rule it means every agent.',
    }),
    'url?': pattern(/^https:\/\/[!-~]{1,300}$/, 'an https address', {
      examples: ['https://chatgpt.com'],
      description:
        'What Signature-Agent has to name, or where the ranges are: `hv agents fetch` downloads it.',
    }),
    'keys?': path(
      'agents/chatgpt.json',
      'JWK Set of its Ed25519 keys, relative to this file. Needs public_url.',
    ),
    'ranges?': path(
      'agents/googlebot.txt',
      'Its addresses and CIDR ranges, one a line, relative to this file.',
    ),
  },
  { expected: 'an agent: name, url, and keys or ranges' },
)

const BOUND = Type.Unsafe<readonly [number, number]>({
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: 'number', minimum: -10, maximum: 10 },
  expected: 'the minimum and the maximum, such as [-2, 0.5]',
  examples: [[-2, 0.5]],
  description: 'Minimum and maximum, in log-odds.',
})

const SCORE = presets(
  {
    'base?': number(-6, 6, {
      examples: [-1],
      description: 'Log-odds of a visit that shows nothing.',
    }),
    'weights?': Type.Unsafe<Readonly<Record<string, number>>>({
      type: 'object',
      additionalProperties: { type: 'number', minimum: -10, maximum: 10 },
      expected: 'names of rules, each with its weight',
      examples: [{ 'console-listener': -0.8 }],
      description:
        'Weights at full strength. A rule keeps its sign: a weight against a visitor stays below 0.',
    }),
    'bounds?': group(Object.fromEntries(SCORE_FAMILIES.map((family) => [`${family}?`, BOUND])), {
      description: 'The minimum and maximum that a family may contribute.',
    }),
    off: list(255, Type.String({ expected: 'the name of a rule' }), {
      default: [],
      examples: [['console-listener']],
      description: 'Rules that do not count; the log still names them when they fire.',
    }),
  },
  'Changes of the score’s weights, in log-odds, by the names in docs/design/scoring.md; a site’s are added to them.',
)

const condition = <T extends TSchema>(maxItems: number, items: T, words: Words) =>
  list(maxItems, items, { minItems: 1, ...words })

const WHEN = group(
  {
    'cidr?': condition(
      10_000,
      kind('visitors', 'an address or a CIDR range, such as 192.0.2.0/24'),
      {
        examples: [['192.0.2.0/24']],
        description: 'The visitor’s address; IPv6 by the /64 at the finest.',
      },
    ),
    'list?': condition(50, Type.String({ expected: 'the name of one of network.lists' }), {
      examples: [['tor']],
      description: 'A configured list has the address.',
    }),
    'asn?': condition(
      1000,
      integer(1, 4_294_967_295, { expected: 'the number of a network, such as 64496' }),
      {
        examples: [[64_496]],
        description: 'The autonomous system; needs network.mmdb.',
      },
    ),
    'country?': condition(
      300,
      pattern(/^[A-Z]{2}$/, 'a country, ISO 3166-1 alpha-2, uppercase, such as DE'),
      {
        examples: [['DE']],
        description: 'Needs network.mmdb.',
      },
    ),
    'user_agent?': condition(
      100,
      Type.String({
        maxLength: 200,
        expected: 'text of at most 200 characters, * for anything between',
      }),
      {
        examples: [['python-requests']],
        description:
          'Part of the User-Agent, any case; * matches anything, "" an empty one. Easily forged.',
      },
    ),
    'ja4?': condition(100, pattern(/^[a-z0-9_*]{1,40}$/, 'a JA4, * for anything between'), {
      examples: [['t13d1812h1_85036bcba153_*']],
      description:
        'The visitor’s TLS; needs tls_fingerprint_header. Virus scanners and company proxies change it.',
    }),
    'agent?': condition(100, pattern(AGENT_NAME, 'the name of one of agents, or any'), {
      examples: [['chatgpt']],
      description:
        'The agent that asks, proven by its signature or address; "any" is every configured agent.',
    }),
    'action?': condition(1000, action(), {
      examples: [['sign-up']],
      description: 'Compared exactly.',
    }),
    'hour?': kind('hours', 'hours from and to, such as 9-17 or 22-6', {
      examples: ['9-17', '22-6'],
      description: 'Start and end hour; the end is excluded, and the range may cross midnight.',
    }),
    'zone?': kind('zone', 'a time zone, such as Europe/Berlin', {
      examples: ['Europe/Berlin'],
      description: 'IANA time zone of hour. If omitted: UTC.',
    }),
  },
  {
    minProperties: 1,
    expected: 'at least one of cidr, list, asn, country, user_agent, ja4, agent, action, hour',
    description:
      'All of these must match, each with any of its values. An unknown fact does not match.',
  },
)

const EFFECT = group(
  {
    'allow?': Type.Literal(true, {
      description: 'The score is 1. The token is still used once, and its work is done.',
    }),
    'deny?': Type.Literal(true, {
      description: 'The score is 0, and siteverify refuses at any threshold.',
    }),
    'score?': number(-8, 8, {
      examples: [-0.5],
      description: 'Added to the log-odds; 0 leaves it as it is.',
    }),
    'work?': number(0, 8, {
      examples: [4],
      description: 'Instead of work.level; load may raise it, max_level and human_cost cap it.',
    }),
  },
  {
    minProperties: 1,
    expected: 'allow, deny, or score and work',
    description: 'The effect on the visit.',
  },
)

const RULE = group(
  {
    name: name(40, { examples: ['partners'], description: 'For the log; unique in the site.' }),
    when: WHEN,
    effect: EFFECT,
    'until?': moment('From this moment on the rule is ignored. If omitted: no end.'),
  },
  { expected: 'a rule: name, when, effect, and until if it ends' },
)

/** The work of an ordinary visit; checks.ts compares other settings with it. */
const WORK = presets(
  {
    level: number(0, 8, { default: 3, description: 'For an ordinary visit. Fractions allowed.' }),
    max_level: number(0, 8, {
      default: 8,
      description: 'Maximum to which the rate of a source may raise it; at least level.',
    }),
    'human_cost?': duration('1s', '120s', {
      examples: ['2s'],
      description:
        'Maximum time of the work on a slow phone. If omitted: 2s, or that of level if longer.',
    }),
    fallback: flag(
      true,
      'true: a browser without a JIT may do work of another kind (pb.1), for a capped score. false: it hands in a part.',
    ),
  },
  'How much work a visitor’s browser does; each level doubles it.',
)

const PASS_KEY = group(
  {
    kty: Type.Literal('OKP', { description: 'The type of key.' }),
    crv: Type.Literal('Ed25519', { description: 'Its curve.' }),
    kid: pattern(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 of A-Z a-z 0-9 _ -', {
      examples: ['TBHZPBYV'],
      description: 'Its name, in the header of each pass; no other key of the site has it.',
    }),
    x: kind('ed25519', '32 bytes in base64url: 43 characters', {
      pattern: '^[A-Za-z0-9_-]{43}$',
      examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
      description: 'The key.',
    }),
  },
  {
    expected: 'a public key (JWK, RFC 8037): kty, crv, kid and x',
    never: {
      d: 'is the private key, which stays with you: make a new pair (hv pass keygen) and give only its public key',
    },
  },
)

const SECRET = group(
  {
    sha256: kind('sha256', 'the SHA-256 of the secret, 64 lowercase hexadecimal digits', {
      examples: ['5f78c33274e43fa9de5659265c1d917e25c03722dcb0b8d27db8d5feaa813953'],
      description: 'SHA-256 of the secret, never the secret itself.',
    }),
    'not_after?': moment('From this moment on the secret is refused. If omitted: no end.'),
  },
  { expected: 'a secret: sha256, and not_after if it ends' },
)

/** The name of an action, or a group with its name and thresholds. */
const ACTION_POLICY = Type.Unsafe<
  string | { name: string; score_threshold?: number; shadow_threshold?: number }
>({
  ...group(
    {
      name: action({ examples: ['silent-check'], description: 'The action.' }),
      'score_threshold?': number(0, 1, {
        examples: [0.33],
        description: 'For this action, instead of the site’s.',
      }),
      'shadow_threshold?': number(0, 1, {
        examples: [0.5],
        description: 'For this action, instead of the site’s.',
      }),
    },
    {},
  ),
  type: ['string', 'object'],
  pattern: ACTION.source,
  expected: 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .',
})

/** One of `sites`. */
export const SITE = group(
  {
    sitekey: pattern<Sitekey>(
      /^hv_site_[A-Za-z0-9_-]{8,64}$/,
      'hv_site_ and 8 to 64 of A-Z a-z 0-9 _ -',
      {
        examples: ['hv_site_example1'],
        description: 'Public name of the site, for data-sitekey. `hv site add` makes one.',
      },
    ),
    // eslint-disable-next-line no-control-regex -- control characters are what is refused
    'name?': pattern(/^[^\u0000-\u001f\u007f]{1,100}$/, 'text of 1 to 100 characters', {
      examples: ['Example shop'],
      description: 'For people: dashboards and lists. If omitted: the first hostname.',
    }),
    secrets: list(8, SECRET, {
      minItems: 1,
      expected: '1 to 8 secrets, each by its hash (hv site add makes one)',
      description:
        'Hashes of the secrets of the customer’s server. Several are valid while one is being replaced.',
    }),
    hostnames: list(1000, kind('hostname', 'a hostname'), {
      minItems: 1,
      expected: 'at least one hostname (an empty list accepts none)',
      examples: [['shop.example.com', '*.shop.example.com']],
      description:
        'Where the widget may run: lowercase, no scheme, port or path. "*.example.com" is every name below.',
    }),
    'app_origins?': list(
      100,
      kind('app-origin', 'an origin of an app, such as capacitor://localhost'),
      {
        minItems: 1,
        expected: 'at least one origin of an app (omit the setting where there is no app)',
        examples: [['capacitor://localhost']],
        description:
          'Origins of pages inside apps, each in full: capacitor://localhost, chrome-extension://… Every app of a kind has the same one, so it is no proof of your app.',
      },
    ),
    'actions?': list(1000, ACTION_POLICY, {
      minItems: 1,
      expected: 'at least one action (omit the setting to allow any)',
      examples: [['sign-up', { name: 'silent-check', score_threshold: 0.33 }]],
      description:
        'Actions the site may use, compared exactly; each a name, or a group of a name and its thresholds. If omitted: any well-formed one.',
    }),
    'default_action?': action({
      examples: ['sign-up'],
      description:
        'The action of a page that names none, as pages of other services do. If omitted: the one of actions, if it lists exactly one; else a page has to name its action. The handler still compares it.',
    }),
    score_threshold: number(0, 1, {
      default: 0.5,
      description:
        'A visitor passes at score >= this. Higher is stricter; 0 accepts every visitor.',
    }),
    token_lifetime: duration('30s', '600s', {
      default: '120s',
      description:
        'How long a response token may be verified. Short, because the widget requests it at submit.',
    }),
    challenge_lifetime: duration('60s', '1h', {
      default: '10m',
      description: 'How long a challenge may be solved; the widget renews it silently.',
    }),
    work: WORK,
    'shadow_threshold?': number(0, 1, {
      examples: [0.6],
      description:
        'A threshold to try out: visitors accepted below it are logged with would_reject, and not refused.',
    }),
    reasons: flag(
      false,
      'true: siteverify says why a score is no higher (docs/design/scoring.md).',
    ),
    step_up: choice(STEP_UPS, {
      default: 'off',
      description:
        'Second try after a low score (docs/widget/refused.md). managed: the widget asks for it. ticket: siteverify gives your server a ticket for it. off: none.',
    }),
    pass_keys: list(8, PASS_KEY, {
      default: [],
      expected: 'a list of at most 8 public keys, each as `hv pass keygen` prints it',
      description:
        'Public keys of passes, by which you vouch for a visitor (docs/widget/refused.md). Their private keys stay with you. Empty: no pass counts.',
    }),
    agents: flag(
      false,
      'true: siteverify names the agent that a token was issued to (docs/operate/agents.md).',
    ),
    score: SCORE,
    rules: list(200, RULE, {
      default: [],
      description: 'The first rule that matches applies; the log names it (`hv rules test`).',
    }),
  },
  {
    expected: 'a site: sitekey, secrets, hostnames, and its policy',
  },
)

/** A configuration: one file, or a folder's files as if they were one. */
export const CONFIG = group(
  {
    version: Type.Literal(1, { description: 'Version of this format.' }),
    listen: port(
      'Where the public API listens; port 0 picks a free one. HV_LISTEN overrides it.',
      '127.0.0.1:8080',
    ),
    ops_listen: port(
      'Metrics, readiness, dashboard. Never public. HV_OPS_LISTEN overrides it.',
      '127.0.0.1:9464',
    ),
    ops_hosts: list(
      100,
      kind('lowercase', 'a name without port, such as verify-ops.internal', {
        pattern: '^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$',
      }),
      {
        default: [],
        description:
          'Host names of the ops listener besides addresses and localhost, against DNS rebinding.',
      },
    ),
    'public_url?': kind(
      'public-url',
      'an http or https address without a path, such as https://verify.example.com',
      {
        examples: ['https://verify.example.com'],
        description:
          'Where browsers reach the service, and the issuer of its tokens: the same in every process.',
      },
    ),
    trusted_proxies: list(1000, kind('proxies', 'an address or a CIDR range, such as 10.0.0.0/8'), {
      default: [],
      description: 'Proxies whose X-Forwarded-For is trusted. Empty: none.',
    }),
    client_ip_header: header('CF-Connecting-IP', {
      default: 'X-Forwarded-For',
      description:
        'Header in which a trusted proxy passes the visitor’s address: X-Forwarded-For, Forwarded, X-Real-IP, CF-Connecting-IP, True-Client-IP.',
    }),
    keep_alive: duration('5s', '1h', {
      default: '130s',
      description:
        'How long an idle connection is kept: longer than every proxy and client keeps its own.',
    }),
    connections_per_address: integer(8, 10_000, {
      default: 256,
      description:
        'Open connections of one address (IPv6: /64); at the limit the oldest idle one is closed. Trusted proxies and this machine are exempt.',
    }),
    'tls_fingerprint_header?': header('X-JA4', {
      examples: ['X-JA4'],
      description:
        'Header in which a trusted proxy passes the JA4 of the visitor’s TLS. If omitted: TLS is ignored.',
    }),
    vendor_paths: flag(
      true,
      'true: siteverify also answers on the paths, and in the fields, of reCAPTCHA, hCaptcha, Turnstile and Cap (docs/start/products.md). false: on its own path alone.',
    ),
    'keyring?': path(
      'keyring.json',
      'File of the signing keys (`hv keygen`), relative to this file. If omitted: keys made at start, with the embedded ledger only. HV_KEYRING overrides it.',
      'the path of the keyring',
    ),
    'redis?': REDIS,
    ledger: presets(
      {
        partitions: integer(1, 64, {
          default: 1,
          description:
            'Partitions of the ledger, spread over the primaries of a Cluster; the same everywhere.',
        }),
      },
      'Layout of the ledger in Redis.',
    ),
    limits: LIMITS,
    network: NETWORK,
    agents: list(100, AGENT, {
      default: [],
      description:
        'Agents and crawlers that rules may name: by a signature (keys) or an address (ranges). Files are read at start and whenever they change; no other host is contacted.',
    }),
    score: SCORE,
    log_level: choice(['error', 'warn', 'info'] as const, {
      default: 'info',
      description: 'Minimum level of the lines that are logged. HV_LOG_LEVEL overrides it.',
    }),
    log_format: choice(['json', 'pretty'] as const, {
      default: 'json',
      description: 'json: an object on each line, for programs. pretty: for people at a terminal.',
    }),
    sites: list(10_000, SITE, {
      minItems: 1,
      expected: 'at least one site (hv site add makes one)',
      description: 'The sites that may use the service.',
    }),
  },
  {
    expected: 'a group of settings: version, sites, …',
    description: 'Configuration of human-verification.',
  },
)

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S
type Plain = string | number | boolean | undefined

/** The values of a part of the table for the code: names in camelCase, texts read, defaults filled in. */
export type Values<T> =
  T extends Text<infer Value>
    ? Value
    : T extends Plain | readonly [unknown, unknown]
      ? T
      : T extends readonly (infer Item)[]
        ? readonly Values<Item>[]
        : {
            readonly [K in keyof T as K extends string ? Camel<K> : K]:
              Values<T[K]> | (object extends Pick<T, K> ? undefined : never)
          }

/** A part of a configuration as written in the file; any value may be missing, or was removed because it is wrong. */
export type Written<T = Static<typeof CONFIG>> = T extends string
  ? string
  : T extends Plain
    ? T
    : T extends readonly (infer Item)[]
      ? readonly (Written<Item> | undefined)[]
      : { readonly [K in keyof T]?: Written<T[K]> | undefined }

export type ConfigValues = Values<Static<typeof CONFIG>>
export type SiteValues = Values<Static<typeof SITE>>

export type Limits = ConfigValues['limits']
