import type { FleetAnswer, InstanceView, SiteView } from '../../src/ops/fleet/fleet-answer.ts'
import { ago, count, duration, moment } from './texts.ts'

export interface Health {
  readonly level: 'good' | 'warn' | 'bad'
  readonly says: string
  readonly problems: readonly Problem[]
}

export interface Problem {
  readonly level: 'warn' | 'bad'
  readonly says: string
}

/** A trouble counts as over when it did not happen for so many seconds. */
const OVER_AFTER = 30
/** So many visitors of a site, all of them refused, are no accident. */
const REFUSED = 20
/** So many ended tokens of a site, none of them judged, are no accident. */
const UNVERIFIED = 20
/** Answers that say that the service cannot do its work. */
const UNABLE = ['database-unavailable', 'database-schema-outdated', 'rate-limiter-unavailable', 'internal-error']

const warn = (says: string): Problem => ({ level: 'warn', says })
const bad = (says: string): Problem => ({ level: 'bad', says })

/** Whether all is well, in one sentence, and else what is not. */
export function healthOf(answer: FleetAnswer): Health {
  const running = answer.instances.filter(({ state }) => state === 'running')
  const findings = [
    ...(answer.problem === undefined ? [] : [bad(answer.problem)]),
    ...answer.instances.flatMap((each) => ofInstance(each, answer.at)),
    ...ofAnswers(answer),
    ...answer.sites.filter(refusesAll).map((site) => bad(refused(site))),
    ...(answer.shed === 0
      ? []
      : [timed(answer, 'shed', `${count(answer.shed)} requests were refused unread: more came than could be served`)]),
    ...(answer.generationMoves === 0
      ? []
      : [
          warn(
            `The ledger began a new generation ${times(answer.generationMoves)}${whenOf(answer, 'generation_moves').words}: tokens of before were refused.`,
          ),
        ]),
    ...answer.sites.filter(isUnverified).map((site) => warn(unverified(site))),
    ...ofVersions(running),
    ...(answer.linesLost === 0
      ? []
      : [
          warn(
            `${count(answer.linesLost)} lines of the log could not be written${whenOf(answer, 'lines_lost').words}.`,
          ),
        ]),
  ]
  // What harms visitors now comes first; what is over, or harms nobody yet, after it, in the order above.
  const problems = findings.toSorted((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'))
  const level = problems.some((problem) => problem.level === 'bad') ? 'bad' : problems.length > 0 ? 'warn' : 'good'
  return { level, problems, says: sentence(level, running, answer) }
}

function sentence(level: Health['level'], running: readonly InstanceView[], { at, scope }: FleetAnswer): string {
  if (level === 'bad') return 'Something is wrong.'
  if (level === 'warn') return 'It works, and something wants a look.'
  if (running.length === 0) return 'It has just started: the first counts come within five seconds.'
  const oldest = Math.min(...running.map(({ configuration }) => configuration.since))
  const who = scope === 'fleet' ? `${running.length} ${running.length === 1 ? 'process' : 'processes'}` : 'this process'
  return `All is well: ${who} running, the ledger works, configuration read ${ago(oldest, at)}.`
}

function ofInstance({ name, state, fault, heardAt, configuration, keyring }: InstanceView, now: number): Problem[] {
  if (state === 'stopped') return []
  if (state === 'gone')
    return [warn(`${name} has not been heard for ${duration(now - heardAt)}, and did not say that it stops.`)]
  return [
    ...(fault === undefined ? [] : [bad(`${name} cannot use the ledger: ${fault}.`)]),
    ...(configuration.problem === undefined
      ? []
      : [
          warn(
            `${name} runs on the configuration of ${ago(configuration.since, now)}; a newer one was refused: ${configuration.problem}`,
          ),
        ]),
    ...(keyring.problem === undefined
      ? []
      : [warn(`${name} uses the keyring of ${ago(keyring.since, now)}; a newer one was refused: ${keyring.problem}`)]),
  ]
}

function ofVersions(running: readonly InstanceView[]): Problem[] {
  const versions = [...new Set(running.map(({ version }) => version))].sort()
  return versions.length > 1 ? [warn(`The processes are of different versions: ${versions.join(', ')}.`)] : []
}

interface When {
  /** Within the last half minute. */
  readonly isNow: boolean
  /** `, from 10:00:00, over since 10:01:10`; empty where the times are not known. */
  readonly words: string
}

/** When a trouble began within the time that is shown, and since when it is over. */
function whenOf({ at, steps }: FleetAnswer, trouble: string): When {
  const counts = steps.troubles[trouble] ?? []
  const first = counts.findIndex((n) => n > 0)
  if (first < 0) return { isNow: false, words: '' }
  const began = steps.from + first * steps.every
  const ended = Math.min(at, steps.from + (counts.findLastIndex((n) => n > 0) + 1) * steps.every)
  const isNow = at - ended < OVER_AFTER
  return { isNow, words: `, from ${moment(began, at)}${isNow ? ' until now' : `, over since ${moment(ended, at)}`}` }
}

/** A trouble of visitors: bad while it lasts, worth a look when it is over. */
function timed(answer: FleetAnswer, trouble: string, says: string): Problem {
  const { isNow, words } = whenOf(answer, trouble)
  return isNow ? bad(`${says}${words}.`) : warn(`${says}${words}.`)
}

function ofAnswers(answer: FleetAnswer): Problem[] {
  const { requests } = answer
  return UNABLE.flatMap((code) => {
    const total = Object.values(requests).reduce((sum, codes) => sum + (codes[code] ?? 0), 0)
    return total === 0
      ? []
      : [timed(answer, code, `${total === 1 ? 'One request was' : `${count(total)} requests were`} answered ${code}`)]
  })
}

/** Codes of a verdict that refuses the visitor, not the call. */
const REJECTIONS = ['low-score', 'timeout-or-duplicate', 'action-mismatch', 'remoteip-mismatch']

const rejectionsOf = ({ verdicts }: SiteView): readonly (readonly [string, number])[] =>
  REJECTIONS.map((code) => [code, verdicts[code] ?? 0] as const).filter(([, n]) => n > 0)
const rejected = (site: SiteView): number => rejectionsOf(site).reduce((sum, [, n]) => sum + n, 0)
const refusesAll = (site: SiteView): boolean => (site.verdicts['accepted'] ?? 0) === 0 && rejected(site) >= REFUSED

function refused(site: SiteView): string {
  const codes = rejectionsOf(site).map(([code, n]) => `${code} ${count(n)}`)
  const threshold = site.threshold === undefined ? '' : `; its threshold is ${site.threshold}`
  return `${site.name ?? site.site}: all ${count(rejected(site))} visitors were refused (${codes.join(', ')}${threshold}).`
}

const isUnverified = ({ ended, endedJudged }: SiteView): boolean => ended >= UNVERIFIED && endedJudged === 0

function unverified({ site, name, ended }: SiteView): string {
  return `${name ?? site}: none of ${count(ended)} tokens was verified. Does the form’s handler call siteverify?`
}

const times = (n: number): string => (n === 1 ? 'once' : `${count(n)} times`)
