import { isIP } from 'node:net'
import { parseAddress } from '../domain/address.ts'
import { Fault, type FaultCode } from '../domain/codes.ts'
import { compile, type JsonSchema } from '../schema/json-schema.ts'
import { OPERATIONS, type Requests, SIGNALS_LIMIT } from '../wire.ts'
import type { Fields } from './fields.ts'
import { countMembers } from './json-fields.ts'
import { parseQuietly } from './parse-quietly.ts'
import { withoutPort } from './client-address.ts'

type Values = Record<string, unknown>

/** What a schema cannot say: spellings of forms are read, and what no schema can judge is refused. @throws {Fault} */
const READ: { readonly [O in keyof Requests]: (values: Values) => void } = {
  challenge(values) {
    const { proof, cdata } = values
    if (typeof proof === 'string' && /^[1-9][0-9]{0,3}$/.test(proof))
      values['proof'] = Number(proof)
    if (typeof cdata === 'string' && !isCarried(cdata)) throw Fault.of('bad-request')
  },
  solve(values) {
    values['signals'] = readSignals(values['signals'] ?? {})
  },
  siteverify(values) {
    if (typeof values['remoteip'] === 'string')
      values['remoteip'] = readRemoteip(values['remoteip'])
  },
}

/**
 * Prepares the check of a request: of its fields, as the table of the wire has them.
 *
 * @returns a function that throws a `Fault` with the code of each required field that is missing, else `bad-request`.
 */
export function parser<O extends keyof Requests>(operation: O): (fields: Fields) => Requests[O] {
  const { request, missing } = OPERATIONS[operation]
  const required = Object.entries<FaultCode>(missing)
  const check = compile<Requests[O]>(request as JsonSchema, { all: false })
  return (fields) => {
    const values = present(fields, request.properties)
    const [first, ...more] = required
      .filter(([name]) => values[name] === undefined)
      .map(([, code]) => code)
    if (first !== undefined) throw new Fault([first, ...more])
    READ[operation](values)
    const result = check(values)
    if (!result.ok) throw Fault.of('bad-request')
    return result.value
  }
}

/**
 * The fields that say something: an empty one counts as absent, and so does a JSON null. `action[]` is refused: it is meant as
 * `action`, and nothing would be compared.
 */
function present(fields: Fields, known: object): Values {
  const values: Values = Object.create(null)
  for (const [name, value] of fields) {
    if (name.includes('[') && Object.hasOwn(known, name.slice(0, name.indexOf('['))))
      throw Fault.of('bad-request')
    if (value !== '' && value !== null) values[name] = value
  }
  return values
}

/**
 * Reads an address, or a forwarding header that a handler copied: of a list the last public address, since visitors can write
 * what comes before it. "unknown", which common snippets send where they find none, counts as omitted. A network stays one.
 *
 * @throws {Fault} `bad-request` for what is no address, and no IPv4 /24 or IPv6 /48.
 */
function readRemoteip(text: string): string | undefined {
  if (text.toLowerCase() === 'unknown') return undefined
  if (isNetwork(text)) return text
  const hops = text.split(',').map((hop) => withoutPort(hop.trim()))
  const hop = hops.findLast((it) => parseAddress(it)?.scope !== 'private') ?? hops.at(-1)!
  if (parseAddress(hop) === undefined) throw Fault.of('bad-request')
  return hop
}

/** Reports whether a text names a network of the size that is compared. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const size = { 0: undefined, 4: '24', 6: '48' }[isIP(address)]
  return (
    more.length === 0 && bits !== undefined && bits === size && parseAddress(address) !== undefined
  )
}

/** Reports whether a response token has room for a text: 255 characters of two bytes, as JSON spells them (a quote takes two); no control characters. */
const isCarried = (cdata: string): boolean =>
  Buffer.byteLength(JSON.stringify(cdata)) <= 2 * 255 + 2 && !/\p{Cc}|\p{Cs}/u.test(cdata)

/** Reads the summary: an object, or the same object as JSON text. */
function readSignals(summary: unknown): unknown {
  const spelled = typeof summary === 'string' ? summary : JSON.stringify(summary)
  if (Buffer.byteLength(spelled) > SIGNALS_LIMIT || countMembers(spelled) === undefined)
    throw Fault.of('bad-request')
  return typeof summary === 'string' ? parseQuietly(spelled, JSON.parse) : summary
}
