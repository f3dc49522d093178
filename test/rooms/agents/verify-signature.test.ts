/** Signatures of agents: the vectors of RFC 9421 and of the draft, another program's signatures, and what is refused. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isInnerList } from 'structured-headers'
import { keysOf } from '../../../src/agents/key-file.ts'
import { readDictionary, signatureBase } from '../../../src/agents/signature-base.ts'
import {
  LONGEST_VALID,
  type Verifier,
  verifySignature,
} from '../../../src/agents/verify-signature.ts'
import type { SignedRequest } from '../../../src/domain/named-agent.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { signingAgent } from '../../support/signing-agent.ts'

type Header = readonly [string, string]
const VECTORS = JSON.parse(
  readFileSync(new URL('../../vectors/web-bot-auth.json', import.meta.url), 'utf8'),
) as {
  key: object
  ed25519: Record<'origin' | 'method' | 'target' | 'input' | 'base', string> & { headers: Header[] }
  draft: { origin: string; target: string; created: number; headers: Header[] }
  uncovered: Header[]
}

const request = (
  headers: readonly Header[],
  target = '/api/v1/challenge',
  method = 'POST',
): SignedRequest => ({
  method,
  target,
  fields: (name) =>
    headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value),
})
const pairs = (headers: Record<string, string>): Header[] => Object.entries(headers)
const verifierOf = (directory: string, url?: string, origin = 'https://verify.test'): Verifier => {
  const keys = keysOf(directory)
  return {
    origin,
    keyOf: (keyid) => (keys.has(keyid) ? { name: 'agent', url, key: keys.get(keyid)! } : undefined),
  }
}

test('the signature base is that of RFC 9421, appendix B.2.6', () => {
  const { origin, method, target, headers, input, base } = VECTORS.ed25519
  const covered = readDictionary(`sig=${input}`)!.get('sig')!
  const made = isInnerList(covered)
    ? signatureBase(request(headers, target, method), covered, origin)
    : undefined
  expect(made).toBe(base)
})

describe('the vectors of the draft', () => {
  const { origin, target, created, headers } = VECTORS.draft
  const directory = JSON.stringify({ keys: [VECTORS.key] })
  const verifier = verifierOf(directory, 'https://signature-agent.test', origin)
  const at = (now: number, given = headers, by = verifier) =>
    verifySignature(request(given, target), by, unixSeconds(now))

  test('a signature over authority and agent names the agent, for at most ten minutes', () => {
    expect(at(created + 1)).toEqual({ name: 'agent', refusal: undefined })
    expect(at(created + LONGEST_VALID - 1).name).toBe('agent')
    expect(at(created + LONGEST_VALID).refusal).toBe('expired')
    expect(at(created - 31).refusal).toBe('not-yet-valid')
  })

  test('a signature that does not cover Signature-Agent is refused, even the draft’s own example', () => {
    expect(at(created + 1, VECTORS.uncovered).refusal).toBe('uncovered')
    const beside: Header[] = [
      ...VECTORS.uncovered,
      ['Signature-Agent', 'agent2="https://signature-agent.test"'],
    ]
    expect(at(created + 1, beside).refusal).toBe('uncovered')
  })

  test('another host, another agent and an unknown key are refused', () => {
    const elsewhere = verifierOf(directory, 'https://signature-agent.test', 'https://example.org')
    expect(at(created + 1, headers, elsewhere).refusal).toBe('invalid')
    expect(
      at(created + 1, headers, verifierOf(directory, 'https://other.test', origin)).refusal,
    ).toBe('other-agent')
    expect(at(created + 1, headers, { origin, keyOf: () => undefined }).refusal).toBe('unknown-key')
    expect(at(created + 1, headers, verifierOf(directory, undefined, origin)).name).toBe('agent')
  })
})

const agent = await signingAgent()

describe('signatures of another program', () => {
  const NOW = 1_800_000_000
  const URL_OF = 'https://verify.test/api/v1/challenge'
  const verifier = verifierOf(agent.directory, 'https://agent.test')
  const found = (headers: readonly Header[], now = NOW + 1, path?: string) =>
    verifySignature(request(headers, path), verifier, unixSeconds(now))
  const AGENT: Header = ['Signature-Agent', 'a="https://agent.test"']
  const COVERED = '("@authority" "signature-agent";key="a")'
  /** A signature by the agent's own key, over the components of a test. */
  const own = (
    input: string,
    lines: readonly string[] = LINES,
    more: readonly Header[] = [AGENT],
  ): Header[] => [
    ...more,
    ...pairs(agent.signBase([...lines, `"@signature-params": ${input}`].join('\n'), input)),
  ]
  const [keyid] = keysOf(agent.directory).keys()
  const times = (created = NOW, expires = NOW + 300) =>
    `;created=${created};expires=${expires};keyid="${keyid}"`
  const TAG = ';tag="web-bot-auth"'
  const LINES = ['"@authority": verify.test', '"signature-agent";key="a": "https://agent.test"']

  test('header fields split over several lines are joined', async () => {
    const {
      signature,
      'signature-input': input,
      'signature-agent': named,
    } = await agent.headers(URL_OF, NOW)
    const split: Header[] = [
      ['Signature-Input', 'proxy=("@method");created=1;keyid="p"'],
      ['Signature-Input', `  ${input!}  `],
      ['signature', 'proxy=:AAAA:'],
      ['SIGNATURE', signature!],
      ['Signature-Agent', named!],
    ]
    expect(found(split).name).toBe('agent')
    // The whole header is covered, so another member makes it another one.
    expect(
      found([...split, ['Signature-Agent', 'other="https://other.test"']]).name,
    ).toBeUndefined()
  })

  test('a signature over the target URI is valid for that target only', () => {
    const input = `("@target-uri" "@method" "@path" "@query" "@scheme" "signature-agent";key="a")${times()}${TAG}`
    const path = '/api/v1/challenge?x=1'
    const lines = [
      `"@target-uri": https://verify.test${path}`,
      '"@method": POST',
      '"@path": /api/v1/challenge',
      '"@query": ?x=1',
      '"@scheme": https',
      LINES[1]!,
    ]
    expect(found(own(input, lines), NOW, path).name).toBe('agent')
    expect(found(own(input, lines), NOW, '/api/v1/solve').refusal).toBe('invalid')
  })

  const namedAs = (value: string) =>
    own(`${COVERED}${times()}${TAG}`, LINES, [['Signature-Agent', value]])
  const whole = (value: string) =>
    own(
      `("@authority" "signature-agent")${times()}${TAG}`,
      [LINES[0]!, `"signature-agent": ${value}`],
      [['Signature-Agent', value]],
    )
  const covering = (...components: string[]) => own(`(${components.join(' ')})${times()}${TAG}`)
  test.each<[string, () => readonly Header[]]>([
    ['malformed', () => [['Signature-Input', 'nonsense ('], AGENT]],
    ['malformed', () => own(`${COVERED};created=${NOW};keyid="${keyid}"${TAG}`)],
    ['malformed', () => own(`${COVERED};created="1";expires=${NOW + 9};keyid="${keyid}"${TAG}`)],
    ['malformed', () => own(`${COVERED};created=${NOW};expires=${NOW + 9}${TAG}`)],
    ['malformed', () => own(`${COVERED}${times()};nonce="${'n'.repeat(900)}"${TAG}`)],
    ['malformed', () => own(`${COVERED}${times()}${TAG}`).filter(([name]) => name !== 'signature')],
    ['other-tag', () => own(`${COVERED}${times()}`)],
    ['other-tag', () => own(`${COVERED}${times()};tag="agent-browser-auth"`)],
    ['uncovered', () => own(`()${times()}${TAG}`, [])],
    ['uncovered', () => own(`("signature-agent";key="a")${times()}${TAG}`, [LINES[1]!])],
    ['uncovered', () => own(`("@authority")${times()}${TAG}`, [LINES[0]!])],
    ['uncovered', () => covering('"@authority"', '"signature-agent";key="b"')],
    ['uncovered', () => covering('"@authority"', '"Signature-Agent";key="a"')],
    ['uncovered', () => whole('a="x", b="y"')],
    // A string, as the first drafts had it.
    ['uncovered', () => whole('"https://agent.test"')],
    ['uncovered', () => namedAs('a=token')],
    ['uncovered', () => namedAs('a=("https://agent.test")')],
    ['other-agent', () => namedAs('a="https://other.test"')],
    ['other-agent', () => namedAs('a="data:,x"')],
    ['not-yet-valid', () => own(`${COVERED}${times(NOW + 60)}${TAG}`)],
    ['expired', () => own(`${COVERED}${times(NOW - 300, NOW)}${TAG}`)],
    ['expired', () => own(`${COVERED}${times(NOW, NOW - 1)}${TAG}`)],
    ['expired', () => own(`${COVERED}${times(NOW - 601, NOW + 86_400)}${TAG}`)],
    ['unsupported', () => own(`${COVERED}${times()};alg="hmac-sha256"${TAG}`)],
    ['unsupported', () => covering('"@authority"', '"@status"', '"signature-agent";key="a"')],
    ['unsupported', () => covering('"@authority"', '"x-absent"', '"signature-agent";key="a"')],
    ['unsupported', () => covering('"@authority"', '"@authority"', '"signature-agent";key="a"')],
    ['unsupported', () => covering('"@authority";req', '"signature-agent";key="a"')],
    ['invalid', () => own(`${COVERED}${times()}${TAG}`, ['"@authority": evil.test', LINES[1]!])],
    [
      'invalid',
      () =>
        own(`${COVERED}${times()}${TAG}`).map(
          ([n, v]) => [n, v.replace('sig=:', 'sig=:AAAA')] as const,
        ),
    ],
  ])('%s: nobody is named (%#)', (refusal, headers) => {
    expect(found(headers(), NOW)).toEqual({ name: undefined, refusal })
  })

  test('a signature may cover 16 components', () => {
    const over = (count: number): Header[] => {
      const keys = Array.from({ length: count - 2 }, (_, i) => `k${i}`)
      const input = `("@authority" "signature-agent";key="a" ${keys.map((key) => `"x";key="${key}"`).join(' ')})${times()}${TAG}`
      const lines = [...LINES, ...keys.map((key) => `"x";key="${key}": 1`)]
      return own(input, lines, [AGENT, ['x', keys.map((key) => `${key}=1`).join(', ')]])
    }
    expect(found(over(16), NOW).name).toBe('agent')
    expect(found(over(17), NOW).refusal).toBe('unsupported')
  })

  test('of two signatures the valid one counts; a third is ignored', () => {
    const good = own(`${COVERED}${times()}${TAG}`, LINES)
    const bad = (label: string): Header[] => [
      ['signature-input', `${label}=${COVERED}${times()}${TAG}`],
      ['signature', `${label}=:AAAA:`],
    ]
    expect(found([...bad('x'), ...good], NOW).name).toBe('agent')
    expect(found([...bad('x'), ...bad('y'), ...good], NOW).refusal).toBe('invalid')
  })

  test('no header value throws or takes long', () => {
    const component = '"[@a-z-]{0,12}"(;[a-z]{1,4}="?[a-z]{0,4}"?)?'
    const input = new RegExp(
      `^[a-z]{1,3}=\\((${component} ?){0,4}\\)(;[a-z]{1,7}=[":a-z0-9-]{0,12}){0,6}$`,
    )
    const long = [
      '('.repeat(4000),
      `a=(${'"b" '.repeat(1000)})`,
      `a${';b'.repeat(2000)}`,
      '"'.repeat(4000),
      'a=1, '.repeat(800),
    ]
    const field = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.stringMatching(input),
      fc.constantFrom(...long),
    )
    const headers = fc.tuple(field, field, field)
    const names = ['signature-input', 'signature', 'signature-agent']
    fc.assert(
      fc.property(headers, (values) => {
        expect(found(names.map((name, i) => [name, values[i]!])).name).toBeUndefined()
      }),
      { numRuns: 1000 },
    )
  })
})
