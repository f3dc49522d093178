import { type KeyObject, verify } from 'node:crypto'
import { type InnerList, isInnerList, type Item } from 'structured-headers'
import type { AgentFacts, SignatureRefusal, SignedRequest } from '../domain/named-agent.ts'
import { parseUrl } from '../domain/parse-url.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { combinedField, readDictionary, signatureBase } from './signature-base.ts'

/** A key of the configuration, with the agent that it belongs to. */
export interface AgentKey {
  readonly name: string
  /** The agent's own address, that `Signature-Agent` has to name; undefined: it is not compared. */
  readonly url: string | undefined
  readonly key: KeyObject
}

export interface Verifier {
  /** What visitors' browsers reach the service by: `https://verify.example.com`, without a path. */
  readonly origin: string
  /** @param keyid thumbprint of a JWK, RFC 7638. */
  readonly keyOf: (keyid: string) => AgentKey | undefined
}

/** A request whose signature is valid. */
export interface Signed {
  readonly agent: AgentKey
  /** What the agent wrote into the signature so that it is used once; undefined: it may be used until it expires. */
  readonly nonce: string | undefined
}
/** A request whose signature is not, and what it says of its sender without proof. */
export interface Unproven {
  readonly refusal: SignatureRefusal
  /** Thumbprint of a key. */
  readonly keyid?: string
  /** The covered member of `Signature-Agent`. */
  readonly agentUrl?: string
}

const TAG = 'web-bot-auth'
/** Seconds after `created`, whatever `expires` says: a signature over the authority alone fits every request until then. */
export const LONGEST_VALID = 600
/** Seconds that the agent's clock may be ahead of ours. */
const TOLERANCE = 30
/** Signatures of one request that are verified: a check takes 0.1 ms, and an agent makes one. */
const MOST_SIGNATURES = 2

/**
 * Names the agent that signed a request: RFC 9421 with the terms of Web Bot Auth.
 *
 * The authority and the `Signature-Agent` must be covered, the key must be one of the configuration's, and the moment
 * must lie between `created` and the earlier of `expires` and ten minutes later. Nothing is asked over the network.
 *
 * @returns the reason of the first signature, where none is accepted.
 * @see draft-ietf-webbotauth-httpsig-protocol-01; docs/operate/agents.md
 */
export function verifySignature(
  request: SignedRequest,
  verifier: Verifier,
  now: UnixSeconds,
): AgentFacts {
  const opened = openSignature(request, verifier, now)
  return 'refusal' in opened
    ? { name: undefined, refusal: opened.refusal }
    : { name: opened.agent.name, refusal: undefined }
}

/** Does the same for a caller who needs more than the name. */
export function openSignature(
  request: SignedRequest,
  verifier: Verifier,
  now: UnixSeconds,
): Signed | Unproven {
  const inputs = readDictionary(combinedField(request, 'signature-input') ?? '')
  const signatures = readDictionary(combinedField(request, 'signature') ?? '')
  if (!inputs || !signatures || inputs.size === 0) return { refusal: 'malformed' }

  const ours = [...inputs].flatMap(([label, covered]) =>
    isInnerList(covered) && covered[1].get('tag') === TAG ? [[label, covered] as const] : [],
  )
  let first: Unproven | undefined
  for (const [label, covered] of ours.slice(0, MOST_SIGNATURES)) {
    const bytes = signatures.get(label)?.[0]
    const outcome =
      bytes instanceof ArrayBuffer
        ? check(request, { covered, signature: bytes }, verifier, now)
        : ({ refusal: 'malformed' } as const)
    if (!('refusal' in outcome)) return outcome
    first ??= outcome
  }
  return first ?? { refusal: 'other-tag' }
}

interface Signature {
  /** What it covers, and its parameters. */
  readonly covered: InnerList
  readonly signature: ArrayBuffer
}

function check(
  request: SignedRequest,
  { covered, signature }: Signature,
  verifier: Verifier,
  now: UnixSeconds,
): Signed | Unproven {
  const [components] = covered
  const parameters = parametersOf(covered)
  if (parameters === undefined) return { refusal: 'malformed' }

  const { keyid, nonce } = parameters
  const agentUrl = coveredAgent(request, components)
  if (agentUrl === undefined || !coversAuthority(components)) return { refusal: 'uncovered', keyid }
  const unproven = (refusal: SignatureRefusal): Unproven => ({ refusal, keyid, agentUrl })
  const agent = verifier.keyOf(keyid)
  if (agent === undefined) return unproven('unknown-key')
  if (agent.url !== undefined && originOf(agentUrl) !== originOf(agent.url))
    return unproven('other-agent')
  const untimely = untimeliness(parameters, now)
  if (untimely !== undefined) return unproven(untimely)
  if (parameters.alg !== 'ed25519') return unproven('unsupported')
  const base = signatureBase(request, covered, verifier.origin)
  if (base === undefined) return unproven('unsupported')
  const isRight = verify(null, Buffer.from(base, 'latin1'), agent.key, Buffer.from(signature))
  return isRight ? { agent, nonce } : unproven('invalid')
}

interface Parameters {
  /** Unix seconds. */
  readonly created: number
  readonly expires: number
  readonly keyid: string
  readonly alg: unknown
  readonly nonce: string | undefined
}

/** @returns undefined if one of them is missing or has the wrong type. */
function parametersOf([, parameters]: InnerList): Parameters | undefined {
  const created = parameters.get('created')
  const expires = parameters.get('expires')
  const keyid = parameters.get('keyid')
  if (!isInteger(created) || !isInteger(expires) || typeof keyid !== 'string') return undefined
  const nonce = parameters.get('nonce')
  return {
    created,
    expires,
    keyid,
    alg: parameters.get('alg') ?? 'ed25519',
    nonce: typeof nonce === 'string' ? nonce : undefined,
  }
}

const isInteger = (value: unknown): value is number => Number.isInteger(value)

const coversAuthority = (components: readonly Item[]): boolean =>
  components.some(([name]) => name === '@authority' || name === '@target-uri')

/** Reports a signature that is not valid yet, or no longer; a time that is not a number is past. */
function untimeliness(
  { created, expires }: Parameters,
  now: UnixSeconds,
): 'not-yet-valid' | 'expired' | undefined {
  if (created > now + TOLERANCE) return 'not-yet-valid'
  return now < Math.min(expires, created + LONGEST_VALID) ? undefined : 'expired'
}

/**
 * Reads the covered member of the dictionary `Signature-Agent`: that of the component's `key`, or the only one where the
 * whole header is covered, as the library of the draft's authors does.
 */
function coveredAgent(request: SignedRequest, components: readonly Item[]): string | undefined {
  const component = components.find(([name]) => name === 'signature-agent')
  const members = component && readDictionary(combinedField(request, 'signature-agent') ?? '')
  if (!members) return undefined
  const key = component[1].get('key')
  const only = members.size === 1 ? [...members.values()][0] : undefined
  const member = typeof key === 'string' ? members.get(key) : only
  return typeof member?.[0] === 'string' ? member[0] : undefined
}

const originOf = (url: string): string | undefined => parseUrl(url)?.origin
