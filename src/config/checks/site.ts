import { isScenarioHash, scenarioBySitekey } from '../../domain/scenarios.ts'
import { leastHumanCost } from '../../domain/work/human-cost.ts'
import { parseDuration } from '../../domain/time.ts'
import type { Path } from '../../schema/schema.ts'
import { DEFAULTS } from '../defaults.ts'
import { type Finding, wants } from '../finding.ts'
import { appOriginFinding } from './app-origins.ts'
import { hostnameFinding } from './hostnames.ts'
import { entries, member, number, text } from './unknown-values.ts'
import { scoreFindings } from './score.ts'
import { DEMO_SECRET_SHA256, LOCAL_HOSTNAMES, parseMoment, sha256Finding } from './secrets.ts'

/** The rules of one site, looked at alone. */
export function* siteFindings(site: unknown, path: Path): Iterable<Finding> {
  if (scenarioBySitekey(text(member(site, 'sitekey')) ?? '')) {
    yield { path: [...path, 'sitekey'], says: 'is a scenario of test mode (docs/start/testing.md), and no site’s name' }
  }
  for (const [index, value] of entries(member(site, 'hostnames'))) {
    const hostname = text(value)
    const finding = hostname === undefined ? undefined : hostnameFinding([...path, 'hostnames', index], hostname)
    if (finding) yield finding
  }
  for (const [index, value] of entries(member(site, 'app_origins'))) {
    const origin = text(value)
    const finding = origin === undefined ? undefined : appOriginFinding([...path, 'app_origins', index], origin)
    if (finding) yield finding
  }
  const fallback = text(member(site, 'default_action'))
  const actions = entries(member(site, 'actions')).map(([, value]) => value)
  if (fallback !== undefined && actions.length > 0 && !actions.includes(fallback)) {
    yield wants([...path, 'default_action'], `one of actions (${actions.join(', ')})`, fallback)
  }
  yield* secrets(site, path)
  yield* lifetimes(site, path)
  yield* scoreFindings(member(site, 'score'), [...path, 'score'])

  const work = member(site, 'work')
  const [level, maxLevel] = [number(member(work, 'level')) ?? DEFAULTS.level, number(member(work, 'max_level'))]
  if (maxLevel !== undefined && maxLevel < level) {
    yield wants([...path, 'work', 'max_level'], `at least level, which is ${level}`, maxLevel)
  }
  const least = level >= 0 && level <= 8 ? leastHumanCost(level) : 1
  const humanCost = text(member(work, 'human_cost'))
  const longest = humanCost === undefined ? undefined : parseDuration(humanCost)
  if (humanCost !== undefined && longest !== undefined && (longest < least || longest > 120)) {
    const wish = least === 1 ? '1s to 120s' : `${least}s to 120s, since level ${level} takes a slow phone that long`
    yield wants([...path, 'work', 'human_cost'], wish, humanCost)
  }
}

function* secrets(site: unknown, path: Path): Iterable<Finding> {
  const hostnames = entries(member(site, 'hostnames')).map(([, value]) => text(value) ?? '')
  const names = [text(member(site, 'sitekey')), text(member(site, 'name')), ...hostnames].filter(
    (name) => name !== undefined,
  )
  for (const [index, secret] of entries(member(site, 'secrets'))) {
    const place: Path = [...path, 'secrets', index]
    const hash = text(member(secret, 'sha256'))
    const finding = hash === undefined ? undefined : sha256Finding([...place, 'sha256'], hash, names)
    if (finding) yield finding
    if (hash === DEMO_SECRET_SHA256 && !hostnames.every((name) => LOCAL_HOSTNAMES.has(name))) {
      yield {
        path: [...place, 'sha256'],
        says: 'is the published secret of the demonstration: only for localhost, 127.0.0.1 and [::1]',
      }
    }
    if (hash !== undefined && isScenarioHash(hash)) {
      yield {
        path: [...place, 'sha256'],
        says: 'is of a published secret of test mode (docs/start/testing.md), which protects nothing',
      }
    }
    const end = text(member(secret, 'not_after'))
    if (end !== undefined && parseMoment(end) === undefined) {
      const hint = /^\d{4}-\d\d-\d\d$/.test(end) ? `${end}T00:00:00Z?` : undefined
      yield wants([...place, 'not_after'], 'a time with its offset, such as 2027-01-01T00:00:00Z', end, hint)
    }
  }
}

const LIFETIMES = [
  { name: 'token_lifetime', from: 30, to: 600, wish: '30s to 600s' },
  { name: 'challenge_lifetime', from: 60, to: 3600, wish: '60s to 1h' },
] as const

function* lifetimes(site: unknown, path: Path): Iterable<Finding> {
  for (const { name, from, to, wish } of LIFETIMES) {
    const lifetime = text(member(site, name))
    const length = lifetime === undefined ? undefined : parseDuration(lifetime)
    if (length !== undefined && (length < from || length > to)) yield wants([...path, name], wish, lifetime)
  }
}
