/**
 * The table of settings. One entry is type, check, default and documentation: the types of the code, the check of a file
 * and the words of `hv-gate check` are made from it.
 */
import { isIP } from 'node:net'
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import ipaddr from 'ipaddr.js'

const group = <P extends TProperties>(properties: P, description: string) => {
  const expected = `a group of settings: ${Object.keys(properties).join(', ')}`
  return Type.Object(properties, { additionalProperties: false, expected, description })
}
/** A text that stands for another value: `read` is a keyword of ours, and returns undefined for a text that is wrong. */
const text = <T>(read: (written: string) => T | undefined, expected: string, description: string, preset?: string) =>
  Type.Unsafe<T>({ type: 'string', read, expected, description, ...(preset !== undefined && { default: preset }) })
const like = (pattern: RegExp, expected: string, description: string) =>
  text((it) => (pattern.test(it) ? it : undefined), expected, description)
const list = <T extends TSchema>(items: T, description: string, preset?: readonly unknown[]) =>
  Type.Array(items, { minItems: preset ? 0 : 1, expected: 'a list', description, ...(preset && { default: preset }) })
const choice = <const T extends string>(values: readonly T[], description: string, preset?: T) =>
  Type.Unsafe<T>({ enum: values, expected: `one of ${values.join(', ')}`, description, default: preset })

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
function secondsOf(written: string): number | undefined {
  const [, count, unit] = /^([1-9][0-9]{0,6})([smhd])$/.exec(written) ?? []
  return unit === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS]
}
function lifetime(written: string): number | undefined {
  const value = secondsOf(written)
  return value !== undefined && value >= UNITS.m && value <= 30 * UNITS.d ? value : undefined
}
function rate(written: string) {
  const [, points, per = ''] = /^([1-9][0-9]{0,6}) per (\w+)$/.exec(written) ?? []
  const duration = secondsOf(per)
  return duration !== undefined && duration <= UNITS.h ? { points: Number(points), duration } : undefined
}
/** Unix seconds. */
function moment(written: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(written) ? Date.parse(written) : NaN
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000)
}
/** An address range, as ipaddr.js compares it. */
export type Range = ReturnType<typeof ipaddr.parseCIDR>
function range(written: string): Range | undefined {
  const [address = '', bits = isIP(address) === 4 ? '32' : '128'] = written.split('/')
  const cidr = `${address}/${bits}`
  return isIP(address) !== 0 && bits !== '0' && ipaddr.isValidCIDR(cidr) ? ipaddr.parseCIDR(cidr) : undefined
}
function listen(written: string) {
  const [, v6, name, port] = /^(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(written) ?? []
  return Number(port) <= 65_535 ? { host: (v6 ?? name)!, port: Number(port) } : undefined
}
function origin(written: string): string | undefined {
  const url = /^https?:\/\//.test(written) && URL.canParse(written) ? new URL(written).origin : ''
  return written.replace(/\/$/, '') === url ? url : undefined
}

const ranges = (description: string, preset?: readonly string[]) =>
  list(text(range, 'an address or a range such as "192.0.2.0/24", not everybody', 'A range.'), description, preset)
const file = (description: string) => like(/^[^\0\r\n]{1,1000}$/, 'the path of a file', description)
const HOST = /^(\*\.)?(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.|$))+(?<!\.)$/
const PATTERNS = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }),
  Type.String({ expected: 'a pattern' }),
  {
    additionalProperties: false,
    expected: 'names of headers in lower case, each with a pattern',
    description: 'Headers; * is any text, and a leading ! means: is not like this.',
  },
)

const WHEN = {
  path: list(like(/^\/[^?#\s]*$/, 'a path such as "/feed/*"', 'A pattern.'), 'Whole paths as sent; * is any text.'),
  method: list(like(/^[A-Z]{1,20}$/, 'a method such as GET', 'A method.'), 'Methods.'),
  cidr: ranges('Networks of visitors.'),
  header: PATTERNS,
}
const RULE = {
  name: like(/^[a-z0-9][a-z0-9-]{0,39}$/, '1 to 40 of a-z 0-9 -', 'Names the rule in the log.'),
  when: Type.Partial(group(WHEN, 'Conditions that must all hold; of a list, one item.')),
  effect: choice(
    ['allow', 'deny', 'level 1', 'level 2'],
    'Lets in, refuses, asks for a silent (1) or pressed (2) visit.',
  ),
}
const RULES = list(group(RULE, 'The first rule that matches counts; where none does, level 1.'), 'Exceptions.', [])

const GATE = {
  hosts: list(
    like(HOST, 'a lower-case hostname such as www.example.com', 'A hostname, or *.name.'),
    'What it protects.',
  ),
  sitekey: like(/^hv_site_[A-Za-z0-9_-]{1,64}$/, 'a sitekey such as hv_site_AbCdEfGh', 'The site of the service.'),
  secret_file: file('File with the secret of the site.'),
  lifetime: text(lifetime, '1m to 30d', 'How long a clearance lasts.', '8h'),
  bind: choice(
    ['network', 'none'],
    'network: a clearance counts in the IPv4 /24 or IPv6 /48 it was given in.',
    'network',
  ),
  networks: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 4,
    expected: '1 to 100',
    description: 'Of one clearance.',
  }),
  rate: text(rate, 'a rate such as "600 per 1m"', 'Requests of one clearance.', '600 per 1m'),
  not_before: Type.Optional(text(moment, 'a time such as 2027-01-01T00:00:00Z', 'Earlier clearances do not count.')),
  shadow: Type.Boolean({ default: false, expected: 'true or false', description: 'Lets everybody in, and logs.' }),
  contact: Type.Optional(like(/^.{1,200}$/, 'a line of text', 'What people do who cannot pass: an e-mail address.')),
  rules: RULES,
}
export const SETTINGS = group(
  {
    version: Type.Literal(1, { expected: '1', description: 'Version of this format.' }),
    service: text(
      origin,
      'an address such as https://verify.example.com',
      'The service, for browsers and for the gate.',
    ),
    listen: text(listen, 'host:port', 'Where proxies ask.', '127.0.0.1:8090'),
    ops_listen: text(listen, 'host:port', 'Metrics and readiness; never public.', '127.0.0.1:9465'),
    trusted_proxies: ranges('The proxies that may ask; everybody else is refused.', ['127.0.0.1', '::1']),
    key_file: file('File of the keys of clearances, from hv-gate keygen.'),
    log_level: choice(['error', 'warn', 'info'], 'The lowest level that is logged.', 'info'),
    gates: list(group(GATE, 'Hosts with one policy.'), 'One entry for each policy.'),
  },
  'Configuration of hv-gate.',
)

export type Settings = Static<typeof SETTINGS>
export type GateSettings = Settings['gates'][number]
export type RuleSettings = GateSettings['rules'][number]
