import { parseRate } from '../../domain/time.ts'
import type { Path } from '../../schema/schema.ts'
import {
  collide,
  coversEverybody,
  hostPortFinding,
  parseHostPort,
  proxyFinding,
  publicUrlFinding,
} from './addresses.ts'
import type { Environment } from '../config.ts'
import { agentFindings, knownAgents, namedAgentFindings } from './agents.ts'
import { DEFAULTS } from '../defaults.ts'
import { type Finding, wants } from '../finding.ts'
import { networkFindings } from './network.ts'
import { redisFindings } from './redis.ts'
import { scoreFindings } from './score.ts'
import { siteFindings } from './site.ts'
import { entries, member, text } from './unknown-values.ts'
import { knownNetworks, visitRuleFindings } from './visit-rules.ts'

/**
 * What a schema cannot say: ranges of durations, addresses, and settings that must fit each other.
 *
 * Looks at a file that may be wrong elsewhere, so that every problem is found at once; what has the wrong type is
 * passed over here, because the schema names it.
 */
export function ruleFindings(file: unknown, env: Environment): readonly Finding[] {
  return [
    ...mode(file, env),
    ...listeners(file),
    ...proxies(file),
    ...redisFindings(file),
    ...limits(file),
    ...networkFindings(file),
    ...agentFindings(file),
    ...scoreFindings(member(file, 'score'), ['score']),
    ...sites(file),
  ]
}

/** Test mode accepts whom its scenarios say, so what is in production must not be able to fall into it. */
function* mode(file: unknown, { NODE_ENV }: Environment): Iterable<Finding> {
  if (member(file, 'mode') !== 'test' || NODE_ENV?.trim().toLowerCase() !== 'production') return
  yield wants(['mode'], 'production while NODE_ENV is production', 'test', 'test mode protects nothing')
}

function* listeners(file: unknown): Iterable<Finding> {
  for (const name of ['listen', 'ops_listen'] as const) {
    const address = text(member(file, name))
    const finding = address === undefined ? undefined : hostPortFinding([name], address, 0)
    if (finding) yield finding
  }
  const [listen, ops] = [member(file, 'listen'), member(file, 'ops_listen')]
  const a = parseHostPort(text(listen) ?? DEFAULTS.listen)
  const b = parseHostPort(text(ops) ?? DEFAULTS.ops_listen)
  if (a && b && collide(a, b)) {
    const near: Path = ops === undefined ? ['listen'] : ['ops_listen']
    yield { ...wants(near, 'two different addresses for listen and ops_listen', text(ops) ?? text(listen)), near }
  }
  const url = text(member(file, 'public_url'))
  const finding = url === undefined ? undefined : publicUrlFinding(['public_url'], url)
  if (finding) yield finding
}

function* proxies(file: unknown): Iterable<Finding> {
  for (const [index, value] of entries(member(file, 'trusted_proxies'))) {
    const range = text(value)
    const finding = range === undefined ? undefined : proxyFinding(['trusted_proxies', index], range)
    if (finding) yield finding
  }
  const ranges = entries(member(file, 'trusted_proxies')).map(([, value]) => text(value) ?? '')
  for (const family of [4, 6] as const) {
    if (coversEverybody(ranges, family)) {
      yield {
        path: ['trusted_proxies'],
        says: `wants your own proxies; together these believe everybody of IPv${family}`,
      }
    }
  }
}

function* limits(file: unknown): Iterable<Finding> {
  for (const name of ['challenge', 'solve', 'siteverify', 'fallback', 'junk', 'ticket', 'invalid_secret']) {
    const limit = text(member(member(file, 'limits'), name))
    const rate = limit === undefined ? undefined : parseRate(limit)
    if (rate && rate.per > 86_400) yield wants(['limits', name], 'a rate per 1s to 1d', limit)
  }
}

function* sites(file: unknown): Iterable<Finding> {
  // Two sites with one name, or one secret, would make it chance whose policy judges.
  const owners = { sitekey: new Map<string, Path>(), secret: new Map<string, Path>() }
  const networks = knownNetworks(file)
  const agents = knownAgents(file)
  for (const [index, site] of entries(member(file, 'sites'))) {
    const path: Path = ['sites', index]
    yield* siteFindings(site, path)
    yield* visitRuleFindings(site, path, networks)
    yield* namedAgentFindings(site, path, agents)
    const claims: (readonly ['sitekey' | 'secret', unknown, Path])[] = [
      ['sitekey', member(site, 'sitekey'), [...path, 'sitekey']],
      ...entries(member(site, 'secrets')).map(
        ([at, secret]) => ['secret', member(secret, 'sha256'), [...path, 'secrets', at, 'sha256']] as const,
      ),
    ]
    for (const [kind, value, place] of claims) {
      const key = text(value)
      if (key === undefined) continue
      const earlier = owners[kind].get(key)
      if (earlier === undefined) owners[kind].set(key, place)
      else yield { path: place, says: `(each ${kind} belongs to one place)`, sameAs: earlier }
    }
  }
}
