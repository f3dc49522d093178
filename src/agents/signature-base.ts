import {
  type Dictionary,
  type InnerList,
  isInnerList,
  type Item,
  parseDictionary,
  ParseError,
  serializeInnerList,
  serializeItem,
} from 'structured-headers'
import type { SignedRequest } from '../domain/named-agent.ts'

/** Characters of a header that are read: parsing 4,000 takes as long as half a challenge. A signature with all of its headers has a few hundred. */
const MAX_LENGTH = 1024
/** Components that a signature may cover: one with a `key` parses its header again, in up to 0.6 ms. Genuine ones cover fewer than ten. */
const MAX_COMPONENTS = 16

/** @returns undefined for what is too long, or not a dictionary of RFC 9651. */
export function readDictionary(text: string): Dictionary | undefined {
  if (text.length > MAX_LENGTH) return undefined
  try {
    return parseDictionary(text)
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

/**
 * Builds the text that a signature is made over: a line for each covered component, then the parameters.
 *
 * Scheme and authority are those of `public_url`, never those of the request: a signature that was made for another host
 * does not fit, whatever `Host` says.
 *
 * @param origin `https://verify.example.com`, without a path.
 * @returns undefined where a component is absent, named twice, or of an unsupported kind.
 * @see RFC 9421, sections 2 and 2.5
 */
export function signatureBase(
  request: SignedRequest,
  covered: InnerList,
  origin: string,
): string | undefined {
  const [components] = covered
  if (components.length > MAX_COMPONENTS) return undefined
  const lines = new Map<string, string>()
  for (const component of components) {
    const value = valueOf(component, request, origin)
    const name = serializeItem(component)
    if (value === undefined || lines.has(name)) return undefined
    lines.set(name, `${name}: ${value}`)
  }
  return [...lines.values(), `"@signature-params": ${serializeInnerList(covered)}`].join('\n')
}

function valueOf(
  [name, parameters]: Item,
  request: SignedRequest,
  origin: string,
): string | undefined {
  if (typeof name !== 'string') return undefined
  if (name.startsWith('@'))
    return parameters.size > 0 ? undefined : derivedComponent(name, request, origin)
  const combined = combinedField(request, name)
  if (combined === undefined || parameters.size === 0) return combined
  const key = parameters.get('key')
  if (parameters.size > 1 || typeof key !== 'string') return undefined
  const member = readDictionary(combined)?.get(key)
  return member && (isInnerList(member) ? serializeInnerList(member) : serializeItem(member))
}

/** Returns a derived component (RFC 9421, section 2.2), as far as a request has it. */
function derivedComponent(
  name: string,
  { method, target }: SignedRequest,
  origin: string,
): string | undefined {
  const query = target.indexOf('?')
  switch (name) {
    case '@method':
      return method
    case '@authority':
      return new URL(origin).host
    case '@scheme':
      return new URL(origin).protocol.slice(0, -1)
    case '@target-uri':
      return `${new URL(origin).origin}${target}`
    case '@request-target':
      return target
    case '@path':
      return query === -1 ? target : target.slice(0, query)
    case '@query':
      return query === -1 ? '?' : target.slice(query)
    default:
      return undefined
  }
}

/**
 * Joins the lines of a header to one value, as RFC 9421, section 2.1 does.
 *
 * @param name lowercase; another spelling is no component.
 */
export function combinedField(request: SignedRequest, name: string): string | undefined {
  const lines = name === name.toLowerCase() ? request.fields(name) : []
  return lines.length === 0 ? undefined : lines.map((line) => line.trim()).join(', ')
}
