import type { Command } from 'commander'
import { localAgents } from '../agents/agents.ts'
import { localNetworks } from '../agents/networks.ts'
import { type NetworkFacts, NOTHING_KNOWN } from '../domain/network.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { DescribedVisit } from '../domain/site-rules/visit-conditions.ts'
import { type RuleEffect, type RuleTrace, traceRules, type VisitRule } from '../domain/site-rules/visit-rules.ts'
import type { Site } from '../domain/site.ts'
import type { Action, UnixSeconds } from '../domain/words.ts'
import {
  actionValue,
  addressValue,
  configOf,
  configOption,
  define,
  group,
  jsonOption,
  matching,
  momentValue,
  print,
  orProblem,
  QUIET,
  siteIn,
  UsageError,
} from './command.ts'
import type { Io } from './io.ts'

interface Options {
  readonly site?: string
  readonly ip?: string
  readonly userAgent: string
  readonly action: Action
  readonly at?: UnixSeconds
  readonly country?: string
  readonly asn?: string
  readonly agent?: string | undefined
  readonly config?: string
  readonly json?: true
}

/** `hv rules …`: the rules of a site. */
export const rulesCommand = (io: Io): Command => group('rules', 'try the rules of a site', [testCommand(io)])

const testCommand = (io: Io): Command =>
  define('test', {
    summary: 'show which rule of a site matches a visit, and why the others do not',
    about: `Evaluates a site's rules in order, as for a real visit, and prints the result of each. Looks the address up in the local files of "network"; nothing is asked over the network, and nothing is changed.`,
    examples: [
      'hv rules test --site hv_site_AbCdEfGh --ip 192.0.2.7 --action sign-up',
      "hv rules test --site 'Example shop' --user-agent 'python-requests/2.31' --at 2026-12-24T23:00:00+01:00",
      'hv rules test --site hv_site_AbCdEfGh --country DE --json',
    ],
  })
    .option('--site <SITEKEY>', 'the sitekey of a site, or its name; required')
    .option('--ip <ADDRESS>', 'the visitor’s address; looked up in the configuration’s network files', addressValue)
    .option('--user-agent <TEXT>', 'the User-Agent header', '')
    .option('--action <ACTION>', 'the action of the form', actionValue, actionValue('submit'))
    .option('--at <TIME>', 'RFC 3339 with an offset. Default: now', momentValue)
    .option('--country <XX>', 'instead of what the files say', matching(/^[A-Z]{2}$/, 'two capital letters'))
    .option('--asn <NUMBER>', 'instead of what the files say', matching(/^[1-9][0-9]{0,9}$/, 'a number'))
    .option(
      '--agent <NAME>',
      'the agent that asks, by its name in the configuration. Default: the one whose ranges have the address',
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options: Options) => {
      const config = configOf(options.config, io)
      const site = siteIn(config, options.site)
      const names = config.agents.map(({ name }) => name)
      if (options.agent !== undefined && !names.includes(options.agent)) {
        const known = names.join(', ') || 'there is none'
        throw new UsageError(`--agent: expected one of agents (${known}), got "${options.agent}"`)
      }
      const networks = await localNetworks(config.network, QUIET).catch(orProblem)
      const agents = await localAgents(config.agents, undefined, QUIET).catch(orProblem)
      const agent = options.agent ?? agents.of({ signed: () => undefined, address: options.ip }, io.now()).name
      const visit = describedBy({ ...options, agent }, networks.of(options.ip), io.now())
      const traces = traceRules(site.rules, visit)
      print(io, options.json, forPrograms(site, traces, visit), () => forPeople(site, traces, visit, io))
    })

function describedBy(options: Options, found: NetworkFacts, now: UnixSeconds): DescribedVisit {
  const { ip, userAgent, action, at = now, country, asn, agent } = options
  const network = {
    ...(ip === undefined ? NOTHING_KNOWN : found),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
  }
  return { place: ip === undefined ? undefined : parseAddressRange(ip), network, userAgent, agent, action, at }
}

/** How a visitor who matches the rule, with too low a score, gets a second try. */
const stepUpOf = ({ stepUp }: Site, rule: VisitRule | undefined): Site['stepUp'] =>
  rule?.effect.kind === 'deny' && stepUp === 'managed' ? 'off' : stepUp

const STEP_UP_TEXT: Readonly<Record<Site['stepUp'], string>> = {
  managed: 'a low score: the widget asks for a second try where more evidence could help',
  ticket: 'a low score: siteverify gives a ticket for a second try',
  off: 'a low score: no second try',
}

function forPrograms(site: Site, traces: readonly RuleTrace[], { network }: DescribedVisit): object {
  const match = traces.find(({ outcome }) => outcome === 'met')
  return {
    met: match?.rule.name ?? null,
    effect: match?.rule.effect ?? null,
    step_up: stepUpOf(site, match?.rule),
    network: { asn: network?.asn ?? null, country: network?.country ?? null, lists: network?.lists ?? [] },
    rules: traces.map(({ rule: { name, id }, outcome, because }) => ({ name, id, outcome, because: because ?? null })),
  }
}

function forPeople(site: Site, traces: readonly RuleTrace[], visit: DescribedVisit, io: Io): string {
  const { name, rules } = site
  const metBy = traces.find(({ outcome }) => outcome === 'met')?.rule
  const last = STEP_UP_TEXT[stepUpOf(site, metBy)]
  if (rules.length === 0) return `${name} has no rules: the score alone decides\n${last}`
  const wide = Math.max(...rules.map((rule) => rule.name.length))
  const rows = traces.map(({ rule, outcome, because }) => {
    const says = {
      met: `MET: ${effectText(rule.effect)}`,
      'not-met': `no match: needs ${because}`,
      unknown: `no match: unknown whether ${because}`,
      ended: 'ignored: it has ended',
      'not-asked': 'not evaluated: an earlier rule matches',
    }[outcome]
    const line = `  ${rule.name.padEnd(wide)}  ${says}`
    return outcome === 'met' ? io.styled('bold', line) : line
  })
  const { asn, country, lists } = visit.network ?? NOTHING_KNOWN
  const listed = lists.map((list) => `, on ${list.name}`).join('')
  return [
    `network ${asn ?? 'unknown'}, country ${country ?? 'unknown'}${listed}`,
    ...rows,
    ...(metBy ? [] : ['no rule matches: the score alone decides']),
    last,
  ].join('\n')
}

function effectText(effect: RuleEffect): string {
  if (effect.kind !== 'adjust') {
    return effect.kind === 'allow' ? 'allow, the score is 1' : 'deny, refused at any threshold'
  }
  const { score, work } = effect
  const parts = score === 0 ? [] : [`${score > 0 ? '+' : '−'}${Math.abs(score)} to the log-odds`]
  if (work !== undefined) parts.push(`work of level ${work}`)
  return parts.join(', ') || 'nothing changes, and no later rule is evaluated'
}
