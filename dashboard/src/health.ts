import type { MinuteAnswer } from '../../src/ops/last-hour-answer.ts'
import { acceptedOf, nameOf, rejectedOf, rejectionsOf, type SiteView, type View } from './view.ts'
import { ago, count, minuteTime } from './texts.ts'

export interface Problem {
  readonly level: 'warn' | 'bad'
  readonly says: string
}

export interface Health {
  readonly level: 'good' | 'warn' | 'bad'
  readonly says: string
  /** The problems that affect visitors now come first. */
  readonly problems: readonly Problem[]
}

/** Seconds after the last occurrence until a problem counts as over: the current minute and the one before it. */
const OVER_AFTER = 120
/** Fewer visitors who were all refused, or tokens that were never verified, may be chance. */
const MANY = 20
/** Codes of requests that could not be judged. */
const UNABLE = [
  'database-unavailable',
  'database-schema-outdated',
  'rate-limiter-unavailable',
  'internal-error',
]

const warn = (says: string): Problem => ({ level: 'warn', says })
const bad = (says: string): Problem => ({ level: 'bad', says })

/** Returns the state of the service in one sentence, and its problems. */
export function healthOf(view: View): Health {
  const { fault, configuration, keyring, now, siteViews } = view
  const findings = [
    ...(fault === undefined ? [] : [bad(`This process cannot use the ledger: ${fault}.`)]),
    ...UNABLE.flatMap((code) =>
      timed(view, answersWith(code), (n) => `${requests(n)} answered ${code}`),
    ),
    ...timed(view, incidents('shed'), (n) => `${requests(n)} rejected: overload`),
    ...siteViews.filter(refusesAll).map((site) => bad(refused(site))),
    ...siteViews
      .filter(isUnverified)
      .map((site) =>
        warn(
          `${nameOf(site)}: none of ${count(site.codes['solved'] ?? 0)} tokens was verified at this process. Does the form’s handler call siteverify?`,
        ),
      ),
    ...refusedReload('configuration', configuration, now),
    ...refusedReload('keyring', keyring, now),
    ...timed(
      view,
      incidents('generation-moved'),
      () => 'The ledger began a new generation: earlier tokens were refused',
      warn,
    ),
    ...timed(
      view,
      incidents('lines-lost'),
      (n) => `${count(n)} log lines could not be written`,
      warn,
    ),
  ]
  const problems = findings.toSorted(
    (a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'),
  )
  const level = problems[0]?.level ?? 'good'
  const says = {
    bad: 'Something is wrong.',
    warn: 'It works, with warnings.',
    good: `Healthy: the ledger works, configuration loaded ${ago(configuration.since, now)}.`,
  }
  return { level, problems, says: says[level] }
}

const requests = (n: number): string => (n === 1 ? 'One request was' : `${count(n)} requests were`)

/** Counts one kind of event in a minute. */
type CountIn = (minute: MinuteAnswer) => number

const answersWith =
  (code: string): CountIn =>
  ({ requests: operations }) =>
    Object.values(operations).reduce((sum, codes) => sum + (codes[code] ?? 0), 0)

const incidents =
  (name: string): CountIn =>
  (minute) =>
    minute.incidents[name] ?? 0

/** Returns a problem with its times; once it is over it is a warning. */
function timed(
  { minutes, now }: View,
  countIn: CountIn,
  says: (n: number) => string,
  current = bad,
): Problem[] {
  const troubled = minutes.filter((minute) => countIn(minute) > 0)
  const first = troubled[0]
  const last = troubled.at(-1)
  if (!first || !last) return []
  const total = troubled.reduce((sum, minute) => sum + countIn(minute), 0)
  const isNow = now - last.from < OVER_AFTER
  const times = `from ${minuteTime(first.from)} ${isNow ? 'until now' : `to ${minuteTime(last.from + 60)}`}`
  return [(isNow ? current : warn)(`${says(total)}, ${times}.`)]
}

function refusedReload(what: string, { since, problem }: View['keyring'], now: number): Problem[] {
  return problem === undefined
    ? []
    : [warn(`The ${what} of ${ago(since, now)} is in force; a newer one was refused: ${problem}`)]
}

const refusesAll = ({ codes }: SiteView): boolean =>
  acceptedOf(codes) === 0 && rejectedOf(codes) >= MANY
/** A duplicate is no verdict of this token. */
const isUnverified = ({ codes }: SiteView): boolean =>
  (codes['solved'] ?? 0) >= MANY &&
  acceptedOf(codes) + rejectedOf(codes) === (codes['timeout-or-duplicate'] ?? 0)

function refused(site: SiteView): string {
  const codes = rejectionsOf(site.codes).map(([code, n]) => `${code} ${count(n)}`)
  const threshold = site.policy ? `; its threshold is ${site.policy.threshold}` : ''
  return `${nameOf(site)}: all ${count(rejectedOf(site.codes))} visitors were refused (${codes.join(', ')}${threshold}).`
}
