import { ANY_AGENT } from '../../domain/named-agent.ts'
import { nearest } from '../../schema/nearest.ts'
import type { Path } from '../../schema/schema.ts'
import type { Finding } from '../finding.ts'
import { formatPath } from '../path.ts'
import { entries, member, text } from './unknown-values.ts'

/** Names of the configuration's agents. */
export const knownAgents = (file: unknown): readonly string[] =>
  entries(member(file, 'agents')).map(([, agent]) => text(member(agent, 'name')) ?? '')

/** Rules of `agents`: one name is one agent, named by one kind of proof. */
export function* agentFindings(file: unknown): Iterable<Finding> {
  const names = new Map<string, Path>()
  for (const [index, agent] of entries(member(file, 'agents'))) {
    const path: Path = ['agents', index]
    const name = text(member(agent, 'name'))
    const earlier = name === undefined ? undefined : names.get(name)
    if (name === ANY_AGENT) yield { path: [...path, 'name'], says: 'is every agent in a rule, and no agent’s name' }
    else if (earlier) yield { path: [...path, 'name'], says: `is the same as ${formatPath(earlier)}` }
    else if (name !== undefined) names.set(name, [...path, 'name'])
    yield* proofFindings(agent, path, file)
  }
}

function* proofFindings(agent: unknown, path: Path, file: unknown): Iterable<Finding> {
  const [keys, ranges] = [member(agent, 'keys'), member(agent, 'ranges')]
  if ((keys === undefined) === (ranges === undefined)) {
    const which = keys === undefined ? 'neither' : 'both (a rule may name two agents)'
    yield { path, says: `wants keys or ranges; got ${which}` }
  }
  if (keys !== undefined && member(file, 'public_url') === undefined) {
    yield { path: [...path, 'keys'], says: 'needs public_url: a signature is made for a host', atKey: true }
  }
}

/** A rule or a site that asks for an agent which is not there would never meet it. */
export function* namedAgentFindings(site: unknown, path: Path, names: readonly string[]): Iterable<Finding> {
  if (member(site, 'agents') === true && names.length === 0) {
    yield { path: [...path, 'agents'], says: 'needs agents of the configuration: there is none to name', atKey: true }
  }
  for (const [index, rule] of entries(member(site, 'rules'))) {
    for (const [at, value] of entries(member(member(rule, 'when'), 'agent'))) {
      const name = text(value)
      const place: Path = [...path, 'rules', index, 'when', 'agent', at]
      if (name === undefined || names.includes(name)) continue
      if (name === ANY_AGENT && names.length > 0) continue
      const near = nearest(name, names)
      yield { path: place, says: `is none of agents${near === undefined ? '' : ` (did you mean ${near}?)`}` }
    }
  }
}
