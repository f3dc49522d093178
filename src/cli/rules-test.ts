import { parseMoment } from '../config/checks/secrets.ts'
import { type NetworkFacts, NOTHING_KNOWN } from '../domain/network.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import { isAction, type Site } from '../domain/site.ts'
import type { DescribedVisit } from '../domain/site-rules/visit-conditions.ts'
import { type RuleEffect, type RuleTrace, traceRules, type VisitRule } from '../domain/site-rules/visit-rules.ts'
import { localNetworks } from '../network/networks.ts'
import { isIP } from 'node:net'
import { command, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT, type Given, type Options } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import type { Io } from './io.ts'
import { settings } from './settings.ts'
import { coloured } from './terminal.ts'

const VISIT = {
  site: { type: 'string', value: 'SITEKEY', required: true, says: 'whose rules; the whole sitekey, or its name' },
  ip: {
    type: 'string',
    value: 'ADDRESS',
    says: 'the visitor’s address; looked up in the configuration’s network files',
  },
  'user-agent': { type: 'string', value: 'TEXT', default: '', says: 'the User-Agent header' },
  action: { type: 'string', value: 'ACTION', says: 'the action of the form', default: 'submit' },
  at: { type: 'string', value: 'TIME', says: 'RFC 3339 with an offset. Left out: now' },
  country: { type: 'string', value: 'XX', says: 'instead of what the files say' },
  asn: { type: 'string', value: 'NUMBER', says: 'instead of what the files say' },
  agent: {
    type: 'string',
    value: 'NAME',
    says: 'the agent that asks, by its name in the configuration. Left out: none',
  },
} as const satisfies Options

/** `hv rules test`: which rule of a site a described visit meets, and why it does not meet the others. */
export const rulesTest = command(
  {
    name: 'rules test',
    summary: 'shows which rule of a site a visit would meet, and why not the others',
    about: `Goes through a site's rules in their order, as for a real visit, and says of each what became of it. Looks the address
up in the local files of "network"; nothing is asked over the network, and nothing is changed.`,
    options: { ...VISIT, ...CONFIG, ...JSON_OUTPUT },
    examples: [
      'hv rules test --site hv_site_AbCdEfGh --ip 192.0.2.7 --action sign-up',
      "hv rules test --site 'Example shop' --user-agent 'python-requests/2.31' --at 2026-12-24T23:00:00+01:00",
      'hv rules test --site hv_site_AbCdEfGh --country DE --json',
    ],
    consequence: 'no rule was tried',
  },
  async (options, io) => {
    const config = settings(options.config, io)
    const site = config.sites.find(({ sitekey, name }) => sitekey === options.site || name === options.site)
    if (!site) throw new UsageError(`${config.file} has no site "${options.site}"`)
    io.progress?.('reading the network files')
    const networks = await localNetworks(config.network, QUIET).catch((error: unknown) => (error as Error).message)
    if (typeof networks === 'string') {
      io.err(networks)
      return EXIT.problems
    }
    networks.stop()
    const names = config.agents.map(({ name }) => name)
    if (options.agent !== undefined && !names.includes(options.agent)) {
      throw new UsageError(
        `--agent wants one of agents (${names.join(', ') || 'there is none'}); got "${options.agent}"`,
      )
    }
    const visit = described(options, networks.of(options.ip), io)
    const traces = traceRules(site.rules, visit)
    io.out(
      options.json
        ? JSON.stringify(forPrograms(site, traces, visit), undefined, 2)
        : forPeople(site, traces, visit, io),
    )
    return EXIT.done
  },
)

const nothing = (): void => {}
const QUIET = { info: nothing, warn: nothing, error: nothing }

function described(options: Given<typeof VISIT>, looked: NetworkFacts, io: Io): DescribedVisit {
  const { ip, action, at, country, asn, agent } = options
  if (ip !== undefined && isIP(ip) === 0) throw new UsageError(`--ip wants an address; got "${ip}"`)
  if (!isAction(action)) throw new UsageError(`--action wants 1 to 64 of A-Z a-z 0-9 _ - / .; got "${action}"`)
  const moment = at === undefined ? nowOf(io) : parseMoment(at)
  if (moment === undefined) throw new UsageError(`--at wants a time such as 2027-01-01T00:00:00Z; got "${at}"`)
  if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw new UsageError(`--country wants XX; got "${country}"`)
  if (asn !== undefined && !/^[1-9][0-9]{0,9}$/.test(asn)) throw new UsageError(`--asn wants a number; got "${asn}"`)
  const network = {
    ...(ip === undefined ? NOTHING_KNOWN : looked),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
  }
  const place = ip === undefined ? undefined : parseAddressRange(ip)
  return { place, network, userAgent: options['user-agent'], agent, action, at: moment }
}

/** How a visitor who meets the rule and whose score is too low gets a second try. */
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
      'not-met': `not met: wants ${because}`,
      unknown: `not met: not known whether ${because}`,
      ended: 'passed over: it has ended',
      'not-asked': 'not asked: one above is met',
    }[outcome]
    const line = `  ${rule.name.padEnd(wide)}  ${says}`
    return outcome === 'met' ? coloured(line, 'bold', io) : line
  })
  const { asn, country, lists } = visit.network ?? NOTHING_KNOWN
  const facts = [
    `network ${asn ?? 'unknown'}`,
    `country ${country ?? 'unknown'}`,
    ...lists.map((list) => `on ${list.name}`),
  ]
  return [facts.join(', '), ...rows, ...(metBy ? [] : ['no rule is met: the score alone decides']), last].join('\n')
}

function effectText(effect: RuleEffect): string {
  if (effect.kind !== 'adjust') {
    return effect.kind === 'allow' ? 'allow, the score is 1' : 'deny, refused at any threshold'
  }
  const { score, work } = effect
  const parts = score === 0 ? [] : [`${score > 0 ? '+' : '−'}${Math.abs(score)} to the log-odds`]
  if (work !== undefined) parts.push(`work of level ${work}`)
  return parts.join(', ') || 'nothing changes, and no rule below is asked'
}
