import { median, two } from '../../stand/tables.mjs'

export const THRESHOLD = 0.5

/** All runs of one visitor, in one row. */
export function summarise(visitor, runs) {
  const { name, kind, what, isAgent, isBrowser, threshold = THRESHOLD } = visitor
  const stepped = runs.filter(({ asked }) => asked > 0)
  const scores = runs.flatMap((run) => run.scores ?? run.score ?? [])
  const row = {
    name,
    kind,
    what,
    ...(isAgent && { isAgent }),
    ...(isBrowser === false && { isBrowser }),
    runs: runs.length,
    tokens: sum(runs.map(({ tokens }) => tokens)),
    forms: sum(runs.map(({ forms }) => forms)),
    passed: sum(runs.map(({ passed }) => passed)),
    median: median(scores),
    least: scores.length > 0 ? Math.min(...scores) : undefined,
    most: scores.length > 0 ? Math.max(...scores) : undefined,
    seconds: median(runs.map(({ seconds }) => seconds)),
    firsts: runs.flatMap(({ first, score }) => first ?? score ?? []),
    ...(threshold !== THRESHOLD && { threshold }),
    ...(stepped.length > 0 && {
      stepped: stepped.length,
      first: median(stepped.map(({ first }) => first)),
    }),
    problems: [...new Set(runs.flatMap(({ problem }) => problem ?? []))],
  }
  return { ...row, failure: failureOf({ ...visitor, ...row }, runs, threshold) }
}

/** Why a row does not show what it must, in a sentence; undefined when it does, or where nothing is judged. */
const failureOf = (row, runs, threshold) => FAILURES[row.kind]?.(row, runs, threshold)

const FAILURES = {
  /** A person passes in every run, a visit that nobody touches with some room above the threshold. */
  person({ least, margin = 0 }, runs, threshold) {
    if (runs.some(({ forms }) => forms === 0)) return 'a person’s form never arrived'
    if (least === undefined || least < threshold) return 'a person scored below the threshold'
    if (logOdds(least) - logOdds(threshold) < margin)
      return `a person scored less than ${margin} in log-odds above the threshold`
    return runs.every((run) => run.passed > 0) ? undefined : 'a person was turned away'
  },
  /** A separable bot passes in none, and none of its tokens is worth anything; it may have got none. */
  bot({ most = 0, passed }, _runs, threshold) {
    if (passed > 0) return 'a bot that can be told apart was let in'
    return most >= threshold ? 'a token of a bot was worth enough' : undefined
  },
  stepped(_row, runs) {
    const isInAtFirst = runs.some((run) => run.passed > 0 && !run.asked)
    return isInAtFirst ? 'a bot was let in without the step' : undefined
  },
}

const logOdds = (score) => Math.log(score / (1 - score))
const sum = (values) => values.reduce((total, value) => total + value, 0)

const KINDS = {
  person: 'person',
  bot: 'bot, separable',
  stepped: 'bot, by the step',
  inseparable: 'bot, inseparable',
}
export const HEAD = [
  'Visitor',
  'Class',
  'Visits',
  'Tokens',
  'Score',
  'Range',
  'Passed',
  'Seconds',
  '',
]

/** What a row's reader has to know besides: why it fails, or that its visitor pressed the step. */
export const noteOf = ({ failure, stepped, runs, first }) =>
  failure ?? (stepped ? `${stepped} of ${runs} with the step, ${two(first)} before it` : '')

/** The cells of a row, as text. @param {ReturnType<typeof summarise>} row */
export const cells = (row) => [
  row.name,
  KINDS[row.kind],
  String(row.runs),
  String(row.tokens),
  two(row.median),
  row.least === undefined ? '–' : `${two(row.least)}–${two(row.most)}`,
  `${row.passed} of ${row.forms || row.runs}`,
  row.seconds?.toFixed(1) ?? '–',
  noteOf(row),
]
