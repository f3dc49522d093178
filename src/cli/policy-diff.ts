import { resolve } from 'node:path'
import { decided, rescore } from '../domain/score/rescore.ts'
import { MODEL } from '../domain/score/score-model.ts'
import type { Site } from '../domain/site.ts'
import { command, UsageError } from './command.ts'
import { decisionLog } from './decision-log.ts'
import { JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { flips } from './flips.ts'
import { policyReport, sums } from './policy-report.ts'
import { settings } from './settings.ts'

/** `hv policy diff`: the visits of a log, decided again by another configuration. */
export const policyDiff = command(
  {
    name: 'policy diff',
    summary: 'replays a log under another configuration and shows which verdicts change',
    about: `Reads the decisions in a log (the lines of solve) and decides each again with the weights, thresholds and rules of NEW.
Says who would be refused now and was accepted, and the other way round, by site and action. Nothing is changed, nobody
is asked, and a log of any size is read line by line. A rule about agent strings, or about a part of a /24 or /48, cannot
be decided from a log, which keeps neither: such decisions are counted as undecided, unless --against has the same rule.`,
    operands: ['NEW'],
    offers: 'files',
    options: {
      decisions: { type: 'string', value: 'LOG', required: true, says: 'JSON lines of the service', offers: 'files' },
      against: {
        type: 'string',
        value: 'FILE',
        says: 'compares with what this configuration decides. Left out: with what was decided then',
        offers: 'files',
      },
      site: { type: 'string', value: 'SITEKEY', says: 'only this site' },
      examples: {
        type: 'string',
        value: 'N',
        default: '3',
        says: 'changed verdicts to show of each site and action, 0 to 1000',
      },
      ...JSON_OUTPUT,
    },
    examples: [
      'hv policy diff new.yaml --decisions /var/log/hv.log',
      'hv policy diff new.yaml --against config/config.yaml --decisions hv.log --site hv_site_AbCdEfGh --json',
    ],
    refusal: 'the log holds no decision of a site in NEW, or cannot be read',
    consequence: 'nothing was compared',
  },
  async ({ decisions, against, site: only, examples, json }, io, [file = '']) => {
    if (!/^(?:0|[1-9][0-9]{0,2}|1000)$/.test(examples)) throw new UsageError('--examples wants a number from 0 to 1000')
    const isChosen = ({ sitekey }: Site): boolean => only === undefined || sitekey === only
    const after = bySitekey(settings(file, io).sites.filter(isChosen))
    const before = against === undefined ? undefined : bySitekey(settings(against, io).sites)
    if (after.size === 0) throw new UsageError(`${file} has no site "${only}"`)

    const log = resolve(io.cwd, decisions)
    const tally = flips(Number(examples))
    const skipped = { no_decision: 0, unreadable: 0, other_sites: 0, other_model: 0 }
    try {
      for await (const entry of decisionLog(log, io)) {
        if (typeof entry === 'string') {
          skipped[entry]++
          continue
        }
        const { record, sitekey, action, jti, visit } = entry
        const site = after.get(sitekey)
        if (!site) {
          skipped.other_sites++
          continue
        }
        if (record.model !== MODEL.version) skipped.other_model++
        const earlier = before?.get(sitekey)
        const from = earlier ? rescore(record, earlier, visit, earlier.rules) : decided(record)
        const to = rescore(record, site, visit, earlier?.rules)
        tally.add({ sitekey, action, jti, from, to: { ...to, rule: to.rule?.name }, undecided: to.undecided?.name })
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      io.err(`${decisions} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : `the system says ${code}`}`)
      return EXIT.problems
    }
    const groups = tally.groups()
    if (json) io.out(JSON.stringify({ ...sums(groups), ...skipped, groups }, undefined, 2))
    else io.out(policyReport(groups, skipped))
    return groups.length > 0 ? EXIT.done : EXIT.problems
  },
)

const bySitekey = (sites: readonly Site[]): ReadonlyMap<string, Site> =>
  new Map(sites.map((site) => [site.sitekey, site]))
