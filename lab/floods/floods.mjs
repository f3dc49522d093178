import { randomBytes } from 'node:crypto'
import { junk } from '../attackers/work.mjs'
import { ACTION, SITEKEY } from '../stand/service.mjs'

const FORM = 'application/x-www-form-urlencoded'
const ORIGIN = 'http://localhost'
const number = (below) => Math.floor(Math.random() * below)
const hex = () => number(65_536).toString(16)
const anyIpv4 = () => `${11 + number(100)}.${number(256)}.${number(256)}.${1 + number(254)}`
const inOne48 = () => `2001:db8:7:${hex()}::${hex()}`
const inOne64 = () => `2001:db8:7:1::${hex()}`

const form = (path, fields, from, headers = {}) => ({
  path,
  headers: { 'content-type': FORM, origin: ORIGIN, 'x-forwarded-for': from, ...headers },
  body: new URLSearchParams(fields).toString(),
})
const challenge = (from, headers = {}, sitekey = SITEKEY) =>
  form('/api/v1/challenge', { sitekey, action: ACTION }, from, headers)
const siteverify = (secret, response, from = anyIpv4()) =>
  form('/api/v1/siteverify', { secret, response }, from)
const json = (path, body) => ({
  path,
  headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-forwarded-for': anyIpv4() },
  body,
})

const wrongSecret = () => `hv_secret_${randomBytes(32).toString('base64url')}`
const members = `{${Array.from({ length: 900 }, (_, i) => `"m${i}":"${i}"`).join(',')}}`
const nested = `{"signals":${'['.repeat(4000)}${']'.repeat(4000)}}`
/** Requests that a client sends in one packet, before the answer to the first. */
const PIPELINED = 14
const GARBAGE = `${'e'.repeat(60)}.${'y'.repeat(500)}.${'z'.repeat(43)}`

/**
 * `next` makes one request: `{ path, method, headers, body }`; its `ask` sends one and gives its answer, for floods that need an
 * answer of the service first. Addresses are written into X-Forwarded-For: the service trusts 127.0.0.1 in this run.
 */
export const FLOODS = [
  {
    name: 'wrong-secrets-one',
    what: 'wrong secrets, one address',
    next: () => siteverify(wrongSecret(), 'x', '203.0.113.9'),
  },
  {
    name: 'wrong-secrets-many',
    what: 'wrong secrets, many addresses',
    next: () => siteverify(wrongSecret(), 'x'),
  },
  {
    name: 'sitekeys',
    what: 'unknown sitekeys',
    next: () => challenge(anyIpv4(), {}, `hv_site_${randomBytes(9).toString('base64url')}`),
  },
  { name: 'one-64', what: 'challenges, one IPv6 /64', next: () => challenge(inOne64()) },
  { name: 'one-48', what: 'challenges, one IPv6 /48', next: () => challenge(inOne48()) },
  { name: 'many-ipv4', what: 'challenges, many IPv4 addresses', next: () => challenge(anyIpv4()) },
  {
    name: 'junk-solutions',
    what: 'junk solutions of genuine challenges, many addresses',
    async next({ ask }) {
      const from = anyIpv4()
      const issued = await ask(challenge(from))
      if (issued?.challenge === undefined) return undefined
      return form(
        '/api/v1/solve',
        { challenge: issued.challenge, solution: junk(issued.work), signals: '{}' },
        from,
      )
    },
  },
  {
    name: 'made-up-tokens',
    what: 'made-up tokens with the site’s secret',
    next: ({ secret }) => siteverify(secret, GARBAGE),
  },
  {
    name: 'used-token',
    what: 'one used token with the site’s secret',
    next: ({ secret, usedToken }) => siteverify(secret, usedToken),
  },
  {
    name: 'headers',
    what: '15 kB of headers',
    next: () => challenge(anyIpv4(), { 'x-a': 'a'.repeat(15_000) }),
  },
  {
    name: 'agent',
    what: 'a user agent of 15 kB',
    next: () => challenge(anyIpv4(), { 'user-agent': `Mozilla/5.0 ${'a'.repeat(15_000)}` }),
  },
  {
    name: 'large-bodies',
    what: 'bodies of 60 kB',
    next: () => json('/api/v1/solve', 'a'.repeat(60_000)),
  },
  { name: 'members', what: 'JSON of 900 members', next: () => json('/api/v1/solve', members) },
  { name: 'nesting', what: 'JSON nested 4,000 deep', next: () => json('/api/v1/solve', nested) },
  {
    name: 'unknown-paths',
    what: 'unknown paths',
    next: () => ({ path: `/${hex()}`, method: 'GET' }),
  },
  {
    name: 're-sent-body',
    what: 'one solved body again, many addresses',
    next: ({ solved }) => ({ ...form('/api/v1/solve', {}, anyIpv4()), body: solved }),
  },
  {
    name: 'pipelined-health',
    what: '14 `GET /health` in a packet, 200 connections of one address',
    connections: 'one address',
    most: 200,
    asks: 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(PIPELINED),
    again: PIPELINED,
  },
  {
    name: 'pipelined-siteverify',
    what: '14 `siteverify` in a packet, 200 connections of one address',
    connections: 'one address',
    most: 200,
    asks: 'POST /api/v1/siteverify HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'.repeat(
      PIPELINED,
    ),
    again: PIPELINED,
  },
  {
    name: 'connections-one',
    what: 'idle connections, one address',
    connections: 'one address',
  },
  {
    name: 'connections-many',
    what: 'idle connections, 200 addresses, as many as there are places',
    connections: 'many addresses',
  },
  {
    name: 'bodies-that-never-come',
    what: 'requests without the body they announce, 200 addresses, as many as there are places',
    connections: 'many addresses',
    asks: 'POST /api/v1/siteverify HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n',
  },
]
