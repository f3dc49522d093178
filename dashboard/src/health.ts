import type { FleetAnswer, InstanceView, SiteView } from '../../src/ops/fleet-answer.ts'
import { ago, count, duration } from './texts.ts'

export interface Health {
  readonly level: 'good' | 'warn' | 'bad'
  readonly says: string
  readonly problems: readonly Problem[]
}

export interface Problem {
  readonly level: 'warn' | 'bad'
  readonly says: string
}

/** So many ended tokens of a site, none of them judged, are no accident. */
const UNVERIFIED = 20
/** Answers that say that the service cannot do its work. */
const UNABLE = ['database-unavailable', 'database-schema-outdated', 'rate-limiter-unavailable', 'internal-error']

const warn = (says: string): Problem => ({ level: 'warn', says })
const bad = (says: string): Problem => ({ level: 'bad', says })

/** Whether all is well, in one sentence, and else what is not. */
export function healthOf(answer: FleetAnswer): Health {
  const running = answer.instances.filter(({ state }) => state === 'running')
  const problems = [
    ...(answer.problem === undefined ? [] : [bad(answer.problem)]),
    ...answer.instances.flatMap((each) => ofInstance(each, answer.at)),
    ...ofVersions(running),
    ...ofAnswers(answer),
    ...(answer.generationMoves === 0
      ? []
      : [warn(`The ledger began a new generation ${times(answer.generationMoves)}: tokens of before were refused.`)]),
    ...(answer.shed === 0
      ? []
      : [warn(`${count(answer.shed)} requests were refused unread: more came than could be served.`)]),
    ...(answer.linesLost === 0 ? [] : [warn(`${count(answer.linesLost)} lines of the log could not be written.`)]),
    ...answer.sites.filter(isUnverified).map((site) => warn(unverified(site))),
  ]
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

function ofAnswers({ requests }: FleetAnswer): Problem[] {
  return UNABLE.flatMap((code) => {
    const answered = Object.values(requests).reduce((sum, codes) => sum + (codes[code] ?? 0), 0)
    return answered === 0
      ? []
      : [warn(`${answered === 1 ? 'One request was' : `${count(answered)} requests were`} answered ${code}.`)]
  })
}

const isUnverified = ({ ended, endedJudged }: SiteView): boolean => ended >= UNVERIFIED && endedJudged === 0

function unverified({ site, name, ended }: SiteView): string {
  return `${name ?? site}: none of ${count(ended)} tokens was verified. Does the form’s handler call siteverify?`
}

const times = (n: number): string => (n === 1 ? 'once' : `${count(n)} times`)
