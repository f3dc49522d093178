import { localAgents } from '../agents/agents.ts'
import { localNetworks } from '../agents/networks.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { DescribedVisit } from '../domain/site-rules/visit-conditions.ts'
import { type RuleEffect, type RuleTrace, traceRules } from '../domain/site-rules/visit-rules.ts'
import type { NetworkFacts } from '../domain/network.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
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
import type { UnixSeconds } from '../domain/words.ts'
import type { Config } from '../settings/load.ts'
import type { Io } from './io.ts'

/** `hv rules …`: the rules of a site. */
export const rulesCommand = (io: Io) => group('rules', 'try the rules of a site', [testCommand(io)])

const testCommand = (io: Io) =>
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
    .option(
      '--ip <ADDRESS>',
      'the visitor’s address; looked up in the configuration’s network files',
      addressValue,
    )
    .option('--user-agent <TEXT>', 'the User-Agent header', '')
    .option('--action <ACTION>', 'the action of the form', actionValue, actionValue('submit'))
    .option('--at <TIME>', 'RFC 3339 with an offset. Default: now', momentValue)
    .option(
      '--country <XX>',
      'instead of what the files say',
      matching(/^[A-Z]{2}$/, 'two capital letters'),
    )
    .option(
      '--asn <NUMBER>',
      'instead of what the files say',
      matching(/^[1-9][0-9]{0,9}$/, 'a number'),
    )
    .option(
      '--agent <NAME>',
      'the agent that asks, by its name in the configuration. Default: the one whose ranges have the address',
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options) => testRules(options, io))

/** A visit, as the options of `hv rules test` describe it. */
interface TestOptions {
  readonly site?: string
  readonly ip?: string
  readonly userAgent: string
  readonly action: string
  readonly at?: UnixSeconds
  readonly country?: string
  readonly asn?: string
  readonly agent?: string
  readonly config?: string
  readonly json?: true
}

async function testRules(options: TestOptions, io: Io): Promise<void> {
  const config = configOf(options.config, io)
  const site = siteIn(config, options.site)
  checkAgent(options.agent, config)
  const network = await networkOf(options, config)
  const traces = traceRules(site.rules, await visitOf(options, network, config, io))
  const answer = answerOf(site, options.action, network, traces)
  print(io, options.json, answer, () => resultText(site, answer, traces, io))
}

/** Returns what the files of the configuration say of the address; the options come first. */
async function networkOf(
  { ip, country, asn }: TestOptions,
  { network }: Config,
): Promise<NetworkFacts> {
  const networks = await localNetworks(network, QUIET).catch(orProblem)
  return {
    ...networks.lookUp(ip),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
  }
}

async function visitOf(
  { ip, userAgent, action, at, agent }: TestOptions,
  network: NetworkFacts,
  config: Config,
  io: Io,
): Promise<DescribedVisit> {
  const now = io.now()
  const agents = await localAgents(config.agents, undefined, QUIET).catch(orProblem)
  return {
    range: ip === undefined ? undefined : parseAddressRange(ip),
    network,
    userAgent,
    agent: agent ?? agents.identify({ signed: () => undefined, address: ip }, now).name,
    action,
    at: at ?? now,
  }
}

/** @throws {UsageError} for an agent that the configuration does not name. */
function checkAgent(agent: string | undefined, { agents }: Config): void {
  const names = agents.map(({ name }) => name)
  if (agent === undefined || names.includes(agent)) return
  const known = names.join(', ') || 'there is none'
  throw new UsageError(`--agent: expected one of agents (${known}), got "${agent}"`)
}

/** The result, for other programs. */
function answerOf(site: Site, action: string, network: NetworkFacts, traces: readonly RuleTrace[]) {
  const met = traces.find(({ outcome }) => outcome === 'met')?.rule
  const isDenied = met?.effect.kind === 'deny' && site.stepUp === 'managed'
  return {
    met: met?.name ?? null,
    effect: met?.effect ?? null,
    step_up: isDenied ? ('off' as const) : site.stepUp,
    score_threshold: thresholdsOf(site, action).scoreThreshold,
    network: {
      asn: network.asn ?? null,
      country: network.country ?? null,
      lists: network.lists,
    },
    rules: traces.map(({ rule: { name, id }, outcome, because = null }) => ({
      name,
      id,
      outcome,
      because,
    })),
  }
}

/** The result, for people. */
function resultText(
  { name }: Site,
  { met, step_up: stepUp, score_threshold: threshold, network }: ReturnType<typeof answerOf>,
  traces: readonly RuleTrace[],
  io: Io,
): string {
  const last = `the threshold is ${threshold}; ${STEP_UP_TEXT[stepUp]}`
  if (traces.length === 0) return `${name} has no rules: the score alone decides\n${last}`
  const { asn, country, lists } = network
  const listed = lists.map((list) => `, on ${list.name}`).join('')
  return [
    `network ${asn ?? 'unknown'}, country ${country ?? 'unknown'}${listed}`,
    ...traceLines(traces, io),
    ...(met === null ? ['no rule matches: the score alone decides'] : []),
    last,
  ].join('\n')
}

/** How a visitor with too low a score gets a second try. */
const STEP_UP_TEXT: Readonly<Record<Site['stepUp'], string>> = {
  managed: 'a low score: the widget asks for a second try where more evidence could help',
  ticket: 'a low score: siteverify gives a ticket for a second try',
  off: 'a low score: no second try',
}

function traceLines(traces: readonly RuleTrace[], { styled }: Io): readonly string[] {
  const wide = Math.max(...traces.map(({ rule }) => rule.name.length))
  return traces.map(({ rule, outcome, because }) => {
    const says = {
      met: `MET: ${effectText(rule.effect)}`,
      'not-met': `no match: needs ${because}`,
      unknown: `no match: unknown whether ${because}`,
      ended: 'ignored: it has ended',
      'not-asked': 'not evaluated: an earlier rule matches',
    }[outcome]
    const line = `  ${rule.name.padEnd(wide)}  ${says}`
    return outcome === 'met' ? styled('bold', line) : line
  })
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
