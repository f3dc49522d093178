import type { Dice } from './dice.ts'

/** A request as its parts, so that one of them can be changed and the rest stays genuine. */
export interface Draft {
  readonly operation: 'challenge' | 'solve' | 'siteverify' | 'health'
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly fields: readonly (readonly [string, unknown])[]
  readonly as: 'form' | 'json'
}

/** What a value can be turned into. */
function another(value: unknown, d: Dice): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  const at = d.upTo(text.length + 1)
  switch (d.upTo(14)) {
    case 0:
      return ''
    case 1:
      return d.text(40)
    case 2:
      return text.slice(0, at) + d.text(3) + text.slice(at)
    case 3:
      return text.slice(0, at)
    case 4:
      return text.slice(at)
    case 5:
      return text.slice(0, at) + String.fromCharCode(d.upTo(128)) + text.slice(at + 1)
    case 6:
      return text + text
    case 7:
      return text.toUpperCase()
    case 8:
      return d.text(5000).padEnd(d.upTo(20_000), 'A')
    case 9:
      return d.pick([null, true, 0, -1, 1e308, [], {}, [text], { [text.slice(0, 9)]: 1 }])
    case 10:
      return d.pick([
        '__proto__',
        'constructor',
        'toString',
        'null',
        'NaN',
        '-0',
        '1e999',
        '0x10',
        '\ud800',
        '%',
        '%00',
        '%zz',
        '%c0%af',
      ])
    case 11:
      return d.pick(['127.0.0.1', '::1', '::ffff:1.2.3.4', 'fe80::1%lo', '0177.1', '1.2.3', '::/0', 'localhost'])
    case 12:
      return `${text}.${text.split('.').toReversed().join('.')}`
    default:
      return text.split('').toReversed().join('')
  }
}

/** A summary of signals, one member deep, turned into another. */
function anotherSummary(value: unknown, d: Dice): unknown {
  try {
    const summary = (typeof value === 'string' ? JSON.parse(value) : value) as Record<string, Record<string, unknown>>
    const family = d.pick(Object.keys(summary))
    const members = summary[family]
    const name = members !== null && typeof members === 'object' ? d.pick([...Object.keys(members), '__proto__']) : 'x'
    const to = d.pick([-1, 0, 1, 1.5, 999, 1e9, '1', null, true, [], {}, Number.MAX_SAFE_INTEGER])
    const changed = { ...summary, [family]: d.chance(0.2) ? to : { ...members, [name]: to } }
    return typeof value === 'string' ? JSON.stringify(changed) : changed
  } catch {
    return another(value, d)
  }
}

const HEADERS: readonly (readonly [string, string])[] = [
  ['Origin', 'null'],
  ['Origin', 'https://shop.example.com.evil.example'],
  ['Origin', 'https://shop.example.com:99999'],
  ['Origin', 'https://[::1'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Encoding', 'gzip'],
  ['X-Forwarded-For', '203.0.113.7, unknown, ::1'],
  ['X-Forwarded-For', ','.repeat(500)],
  ['Accept-Encoding', 'br;q=2, *;q=0'],
  ['Expect', '100-continue'],
  ['Connection', 'close, keep-alive'],
  ['Cookie', 'a=b'],
  ['Authorization', 'Basic Og=='],
  ['If-None-Match', '*'],
  ['Range', 'bytes=0-0'],
  ['Host', 'evil.example'],
  ['Sec-CH-UA-Platform', '"'],
]
const PATHS = [
  '/',
  '//',
  '/api/v1/siteverify/',
  '/API/v1/siteverify',
  '/api/v1/%73iteverify',
  '/health?x=%ff',
  '/api/v1/../v1/solve',
  '*',
  '/\\',
  '/%',
  '/assets/../main.js',
  '/assets/%2e%2e%2fmain.js',
  '/assets/__proto__',
  '/assets/captcha.js?v=__proto__&v=1',
]
const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH']

/** Changes one to four things of a genuine request. */
export function mutate(genuine: Draft, d: Dice): Draft {
  let draft = genuine
  for (let n = 1 + d.upTo(4); n > 0; n--) draft = mutateOnce(draft, d)
  return draft
}

/** As text; of what is none its JSON, since an object may come without `toString`. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify([value]))

function mutateOnce(draft: Draft, d: Dice): Draft {
  const { fields, headers } = draft
  const i = fields.length === 0 ? 0 : d.upTo(fields.length)
  const field = fields[i] ?? (['x', 'y'] as const)
  switch (d.upTo(11)) {
    case 0:
      return { ...draft, fields: fields.toSpliced(i, 1) }
    case 1:
      return { ...draft, fields: fields.toSpliced(i, 0, [field[0], d.chance(0.5) ? field[1] : another(field[1], d)]) }
    case 2:
      return { ...draft, fields: fields.toSpliced(i, 1, [nameOf(another(field[0], d)), field[1]]) }
    case 3:
      return { ...draft, headers: [...headers, d.pick(HEADERS)] }
    case 4:
      return { ...draft, headers: headers.length === 0 ? headers : headers.toSpliced(d.upTo(headers.length), 1) }
    case 5:
      return { ...draft, as: draft.as === 'form' ? 'json' : 'form' }
    case 6:
      return d.chance(0.5) ? { ...draft, path: d.pick(PATHS) } : { ...draft, method: d.pick(METHODS) }
    case 7:
      return { ...draft, fields: [...fields].toReversed() }
    default: {
      const value = field[0] === 'signals' && d.chance(0.7) ? anotherSummary(field[1], d) : another(field[1], d)
      return { ...draft, fields: fields.toSpliced(i, 1, [field[0], value]) }
    }
  }
}

const encode = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

/** The body as text; in JSON a repeated field stays repeated. */
export function bodyOf({ fields, as }: Draft): string {
  if (as === 'form') return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value ?? null)}`).join(',')}}`
}

/** Bytes of a text, changed here and there. */
export function damage(text: string, d: Dice): Buffer {
  const bytes = Buffer.from(text)
  for (let n = d.upTo(4); n > 0 && bytes.length > 0; n--) bytes[d.upTo(bytes.length)] = d.upTo(256)
  if (d.chance(0.1)) return bytes.subarray(0, d.upTo(bytes.length + 1))
  return d.chance(0.05) ? Buffer.concat([bytes, bytes]) : bytes
}
