import { localAgents } from '../agents/agents.ts'
import { localNetworks } from '../agents/networks.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import { type RuleEffect, type RuleTrace, traceRules } from '../domain/site-rules/visit-rules.ts'
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
    .action(
      async ({
        site: which,
        ip,
        userAgent,
        action,
        at = io.now(),
        country,
        asn,
        agent,
        config: file,
        json,
      }) => {
        const config = configOf(file, io)
        const site = siteIn(config, which)
        const names = config.agents.map(({ name }) => name)
        if (agent !== undefined && !names.includes(agent)) {
          const known = names.join(', ') || 'there is none'
          throw new UsageError(`--agent: expected one of agents (${known}), got "${agent}"`)
        }
        const networks = await localNetworks(config.network, QUIET).catch(orProblem)
        const agents = await localAgents(config.agents, undefined, QUIET).catch(orProblem)
        const network = {
          ...networks.lookUp(ip),
          ...(country !== undefined && { country }),
          ...(asn !== undefined && { asn: Number(asn) }),
        }
        const traces = traceRules(site.rules, {
          range: ip === undefined ? undefined : parseAddressRange(ip),
          network,
          userAgent,
          agent: agent ?? agents.identify({ signed: () => undefined, address: ip }, io.now()).name,
          action,
          at,
        })
        const met = traces.find(({ outcome }) => outcome === 'met')?.rule
        const { scoreThreshold } = thresholdsOf(site, action)
        const stepUp =
          met?.effect.kind === 'deny' && site.stepUp === 'managed' ? 'off' : site.stepUp
        const rules = traces.map(({ rule: { name, id }, outcome, because = null }) => ({
          name,
          id,
          outcome,
          because,
        }))
        const { asn: number = null, country: code = null, lists } = network
        const data = {
          met: met?.name ?? null,
          effect: met?.effect ?? null,
          step_up: stepUp,
          score_threshold: scoreThreshold,
          network: { asn: number, country: code, lists },
          rules,
        }
        print(io, json, data, () => {
          const last = `the threshold is ${scoreThreshold}; ${STEP_UP_TEXT[stepUp]}`
          if (rules.length === 0)
            return `${site.name} has no rules: the score alone decides\n${last}`
          return [
            `network ${number ?? 'unknown'}, country ${code ?? 'unknown'}${lists.map((list) => `, on ${list.name}`).join('')}`,
            ...traceLines(traces, io),
            ...(met ? [] : ['no rule matches: the score alone decides']),
            last,
          ].join('\n')
        })
      },
    )

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
