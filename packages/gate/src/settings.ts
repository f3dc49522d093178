/** The table of settings: type, check, default, and the words of `hv-gate check`. docs/start/gate.md says more. */
import { isIP } from 'node:net'
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { AGENT_NAME, ANY_AGENT } from '#shared/domain/named-agent'
import { GUEST_NAMES, LIST_NAMES } from './guest-lists.ts'
import { parseRange } from './ranges.ts'

const group = <P extends TProperties>(properties: P) =>
  Type.Object(properties, {
    additionalProperties: false,
    expected: `one of ${Object.keys(properties).join(', ')}`,
  })
/** A text that stands for another value: `read` is a keyword of ours, and returns undefined for a text that is wrong. */
const text = <T>(
  read: (written: string) => T | undefined,
  expected: string,
  preset?: string,
  description = '',
) => Type.Unsafe<T>({ type: 'string', read, expected, description, default: preset })
const like = (pattern: RegExp, expected: string, description = '') =>
  text((written) => (pattern.test(written) ? written : undefined), expected, undefined, description)
const list = <T extends TSchema>(items: T, description: string, preset?: readonly unknown[]) =>
  Type.Array(items, { minItems: preset ? 0 : 1, expected: 'a list', default: preset, description })
const choice = <const T extends string>(
  values: readonly T[],
  preset: T | undefined,
  description: string,
) =>
  Type.Unsafe<T>({
    enum: values,
    expected: `one of ${values.join(', ')}`,
    default: preset,
    description,
  })

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
function seconds(written: string): number | undefined {
  const [, count, unit = ''] = /^([1-9][0-9]{0,5})([smhd])$/.exec(written) ?? []
  const value = Number(count) * UNITS[unit]!
  return value <= 30 * UNITS['d']! ? value : undefined
}
/** Uses within a time, in seconds. */
export interface Rate {
  readonly points: number
  readonly duration: number
}
const RATE = 'a rate such as "600 per 1m", of at most a day'
function rate(written: string): Rate | undefined {
  const [, points, per = ''] = /^([1-9][0-9]{0,6}) per (\w+)$/.exec(written) ?? []
  const duration = seconds(per)
  // The timers that forget uses end at once after more than 24 days.
  if (duration === undefined || duration > UNITS['d']!) return undefined
  return { points: Number(points), duration }
}
function moment(written: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(written)
    ? Date.parse(written)
    : NaN
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000)
}
function listen(written: string) {
  if (/^unix:\/[^\0\n]{1,106}$/.test(written)) return { path: written.slice(5) }
  const [, v6, name = '', port] =
    /^(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(written) ?? []
  const isHost = v6 === undefined ? !/^[0-9.]+$/.test(name) || isIP(name) === 4 : isIP(v6) === 6
  return isHost && Number(port) <= 65_535 ? { host: v6 ?? name, port: Number(port) } : undefined
}
function origin(written: string): string | undefined {
  const url = /^https?:\/\//.test(written) && URL.canParse(written) ? new URL(written).origin : ''
  return written.replace(/\/$/, '') === url ? url : undefined
}
/** An https address without a path: not an IP address, since nothing is fetched from one. */
const agentUrl = (written: string): string | undefined =>
  /^https:\/\/[a-z0-9.-]+\.[a-z][a-z0-9-]*(:\d+)?\/?$/.test(written) ? origin(written) : undefined
const HOST = /^(\*\.)?(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.|$))+(?<!\.)$/
const ranges = (description: string, preset?: readonly string[]) =>
  list(
    text(parseRange, 'an address or a range such as "192.0.2.0/24", not every address'),
    description,
    preset,
  )
const file = (description: string) => like(/^[^\0\r\n]{1,1000}$/, 'the path of a file', description)
/** As `setServers` of node:dns takes it. */
function nameServer(written: string): string | undefined {
  const [, v6, v4, port = '53'] =
    /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(written) ?? []
  return isIP(v6 ?? v4 ?? '') !== 0 && Number(port) <= 65_535 ? written : undefined
}
const headers = {
  additionalProperties: false,
  expected: 'names of headers in lower case, each with a pattern',
}

const RULE = group({
  name: like(/^[a-z0-9][a-z0-9-]{0,39}$/, '1 to 40 of a-z 0-9 -', 'Names the rule in the log.'),
  when: Type.Partial(
    group({
      path: list(like(/^\/[^?#\s]*$/, 'a path such as "/feed/*"'), 'Whole paths; * is any text.'),
      query: list(
        like(/^[\w*-]{1,64}$/, 'the name of a parameter such as page, or *'),
        'Names of parameters: all that an allow rule takes, or one that another rule counts for.',
      ),
      method: list(like(/^[A-Z]{1,20}$/, 'a method such as GET'), 'Methods.'),
      cidr: ranges('Networks of visitors.'),
      guest: list(choice(GUEST_NAMES, undefined, ''), 'Named guests, by their addresses.'),
      agent: list(
        like(AGENT_NAME, 'the name of an entry of agents, or any'),
        'Agents that signed the request.',
      ),
      header: Type.Record(
        Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }),
        like(/^.{1,200}$/, 'a pattern'),
        headers,
      ),
    }),
  ),
  effect: choice(
    ['allow', 'deny', 'level 1', 'level 2'],
    undefined,
    'Lets in, refuses, asks for a visit or a press.',
  ),
})
const AGENT = group({
  name: text(
    (written) => (AGENT_NAME.test(written) && written !== ANY_AGENT ? written : undefined),
    '1 to 20 of a-z 0-9 _ -, not any',
    undefined,
    'Names the agent in rules, in the log, and for the site.',
  ),
  url: text(
    agentUrl,
    'an address such as https://agent.example.com, without a path',
    undefined,
    'What its Signature-Agent names, and where its keys are fetched.',
  ),
  keys: Type.Optional(file('File with its public keys; then nothing is fetched.')),
  rate: Type.Optional(text(rate, RATE, undefined, 'Signed requests that count as its own.')),
})
const GATE = group({
  hosts: list(
    like(HOST, 'a lower-case hostname such as www.example.com'),
    'What it protects: hostnames, or *.name.',
  ),
  sitekey: like(
    /^hv_site_[A-Za-z0-9_-]{1,64}$/,
    'a sitekey such as hv_site_AbCdEfGh',
    'The site of the service.',
  ),
  secret_file: file('File with the secret of the site.'),
  lifetime: text(seconds, 'at most 30d', '8h', 'How long a clearance lasts.'),
  bind: choice(
    ['network', 'none'],
    'network',
    'Whether it counts only in its IPv4 /24 or IPv6 /48, or anywhere.',
  ),
  networks: Type.Integer({
    minimum: 1,
    default: 4,
    expected: 'a number from 1',
    description: 'Of one clearance.',
  }),
  rate: text(rate, RATE, '600 per 1m', 'Requests of one clearance.'),
  not_before: Type.Optional(text(moment, 'a time such as 2027-01-01T00:00:00Z')),
  shadow: Type.Boolean({
    default: false,
    expected: 'true or false',
    description: 'Admits every visitor, and logs.',
  }),
  contact: Type.Optional(
    like(/^.{1,200}$/, 'a line of text', 'What people do who cannot pass: an e-mail address.'),
  ),
  rules: list(RULE, 'The first rule that matches counts; where none does, level 1.', []),
  guests: list(choice(LIST_NAMES, undefined, ''), 'Lists of programs that are let in.', []),
})
export const SETTINGS = group({
  version: Type.Literal(1, { expected: '1', description: 'Version of this format.' }),
  service: text(
    origin,
    'an address such as https://verify.example.com',
    undefined,
    'As browsers reach the service.',
  ),
  listen: text(listen, 'host:port or unix:/path', '127.0.0.1:8090', 'Where proxies ask.'),
  ops_listen: text(
    listen,
    'host:port or unix:/path',
    '127.0.0.1:9465',
    'Metrics and readiness; never public.',
  ),
  ops_hosts: list(
    like(HOST, 'a lower-case hostname such as gate.monitoring'),
    'Names by which ops_listen is asked, besides localhost and addresses.',
    [],
  ),
  trusted_proxies: ranges('The proxies that may ask; all other peers are refused.', [
    '127.0.0.1',
    '::1',
  ]),
  key_file: file('File of the keys of clearances, from hv-gate keygen.'),
  log_level: choice(['error', 'warn', 'info'], 'info', 'The lowest level that is logged.'),
  name_servers: list(
    text(nameServer, 'an address such as 192.0.2.53, [2001:db8::53] or 127.0.0.1:5353'),
    "Servers that confirm host names of guests; none: the system's.",
    [],
  ),
  agents: list(AGENT, 'Programs that sign their requests.', []),
  gates: list(GATE, 'One entry for each policy.'),
})

export type Settings = Static<typeof SETTINGS>
export type RuleSettings = Static<typeof RULE>
export type AgentSettings = Static<typeof AGENT>
