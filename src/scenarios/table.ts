import { NAMED_SCENARIOS, type Scenario, scenarioSecret, scenarioSitekey, TEST_RESPONSE } from '../domain/scenarios.ts'

/** One line of the table: what happens, and by which two names. */
export interface Row {
  readonly says: string
  readonly sitekey: string
  readonly secret: string
}

const rowOf = (scenario: Scenario): Row => ({
  says: scenario.says,
  sitekey: scenarioSitekey(scenario),
  secret: scenarioSecret(scenario),
})

/** Every scenario; the hundred and one scores in one row. */
export const ROWS: readonly Row[] = [
  ...NAMED_SCENARIOS.map(rowOf),
  rowOf({
    name: 'score-NN',
    says: '200, score 0.NN for `NN` from `00` to `99`, 1 for `100`; accepted from 0.5 on, else low-score',
    score: 1,
  }),
]

/** The table of docs/start/testing.md, in Markdown. */
export const markdownTable = (): string =>
  [
    '| Outcome | Sitekey | Secret |',
    '|---|---|---|',
    ...ROWS.map(({ says, sitekey, secret }) => `| ${says} | \`${sitekey}\` | \`${secret}\` |`),
  ].join('\n')

/** The site that is judged for real. */
type Ordinary = Pick<Row, 'sitekey' | 'secret'>

const rowsWith = ({ sitekey, secret }: Ordinary): readonly Row[] => [
  ...ROWS,
  { says: 'judged for real, as in production', sitekey, secret },
]

/** What `hv test-server --json` prints once it listens. */
export const greetingData = (url: string, ordinary: Ordinary): object => ({
  url,
  response: TEST_RESPONSE,
  sites: rowsWith(ordinary),
})

/** What `hv test-server` prints once it listens. */
export function greeting(url: string, ordinary: Ordinary): string {
  const rows = rowsWith(ordinary)
  const width = Math.max(...rows.map(({ sitekey }) => sitekey.length))
  return [
    `human-verification test server: ${url}`,
    'Protects nothing: everybody knows these secrets. docs/start/testing.md',
    '',
    `Any scenario secret takes the response ${TEST_RESPONSE}, or a genuine token of any scenario sitekey.`,
    '',
    ...rows.flatMap(({ says, sitekey, secret }) => [
      `  ${sitekey.padEnd(width)}  ${secret}`,
      `  ${' '.repeat(width)}  ${says}`,
    ]),
    '',
  ].join('\n')
}
