import { markdownTable } from '../../stand/tables.mjs'
import { cells, HEAD } from './statistics.mjs'

const isAgent = (row) => row.isAgent === true
const of = (kind) => (row) => row.kind === kind && !isAgent(row)
const PARTS = [
  [of('person'), 'People', 'They have to pass in every run.'],
  [
    isAgent,
    'AI agents',
    `The model is replaced by a fixed plan and by latencies (log-normal, median 2.5 s); all else is the program that drives. Separable ones are judged
as bots are; after each stand the contributions that moved its last score most. [agents.md](../operate/agents.md) lets wanted ones in by name.`,
  ],
  [of('bot'), 'Bots that can be told apart', 'None of their tokens may be worth the threshold, 0.5.'],
  [of('inseparable'), 'Bots that cannot be told apart by looking', 'They are listed, not judged.'],
]

/** docs/design/evaluation.md: the tables, on what they were measured, and how to read them. */
export function evaluationPage({ machine, browsers, rows }) {
  const failures = rows.filter(({ failure }) => failure)
  const loads = rows.flatMap((row) => row.loads)
  const errors = new Set(rows.map((row) => row.errors))
  return `# Evaluation

This page has the scores of the development set of visitors against the built service. This page is written by \`npm run evaluate\` from
lab/results/evaluation.json; the visits of the last run one by one, with each contribution to each score, are in build/evaluation.json.

${rows.length} visitors: ${measurements(rows)}. ${machine}; ${version(browsers.chromium)}; ${version(browsers.firefox)}; WebKitGTK of Debian.
Load average ${Math.min(...loads)} to ${Math.max(...loads)}; ${errors.size === 1 && errors.has(0) ? 'no' : 'some'} errors in the service's log.
${failures.length === 0 ? 'Everything holds.' : `${failures.length} of ${rows.length} do not hold: ${failures.map(({ name }) => name).join('; ')}.`}

${PARTS.map(([belongs, title, rule]) => part(rows.filter(belongs), title, rule)).join('\n')}
${HOW}`
}

/** When, at which commit and with whose hands the rows were measured, and in how many visits each. */
function measurements(rows) {
  const groups = new Map()
  for (const { runs, date, commit, hands } of rows) {
    const how = `with ${runs} ${runs === 1 ? 'visit' : 'visits'} each on ${date} at commit ${commit}, hands of people ${hands}`
    groups.set(how, (groups.get(how) ?? 0) + 1)
  }
  return [...groups].map(([how, number]) => `${number} ${how}`).join('; ')
}

function part(rows, title, rule) {
  if (rows.length === 0) return ''
  const said = rows.map(({ name, what, why }) => `- **${name}**: ${what}.${why?.length ? ` ${why.join(', ')}.` : ''}`)
  return `## ${title}\n\n${rule}\n\n${markdownTable(HEAD, rows.map(cells))}\n\n${said.join('\n')}\n`
}

const version = (text) => text.replace(/ built on.*/, '')

const HOW = `## How to read it

Tokens: response tokens that the visitor got, in all visits together. Score: median and range of all of them. Passed: forms that the customer's
handler accepted, of those that arrived. Seconds: median of a visit, the start of the browser included.

- The service is \`hv serve\` with a real Redis and one site with default settings. Each visit has a customer on another host and an address of its
  own behind a proxy; "keyboard only", "paste", "slow reader" and "dark, German" share one address, as in a school.
- People use an ordinary window with an empty profile; nothing is attached to the browser. Each run has another person's hands, played through
  the X server: synthetic ones ([risk.md](risk.md#synthetic-hands)), or recorded ones (\`--traces\`), scaled to the fields of the page.
- Touch is a touch device of the X server (Xorg's \`inputtest\`) with the times of clicks. The screen reader is a browser with the accessibility
  tree forced on and a keyboard.
- Bots drive the same Chromium, so that drivers are compared and not browsers. Agents act by a fixed plan: field by field, the box, the button.
- WebKit is WebKitGTK in MiniBrowser, which reports a tap as a mouse ([risk.md](risk.md#webkit)) and has no autofill and no forced colours.
  Wayland was measured by hand (Chromium 156 in weston): times of input say nothing there; the rest is as on X11.
- Inseparable visitors are limited by their price: work that rises with the rate, limits, reuse of behaviour, and single use.

## Run it

\`npm run evaluate\` names the Debian packages that it lacks. Five runs take some 50 minutes on two cores. Exit code 1: a person below 0.5 or turned
away, or a separable bot let in. The visitors are in lab/evaluate/visitors/.

## Recorded hands

\`--traces DIR\` takes people's hands from recordings, which are not part of the repository. One visit takes the pointer of one person and the keys of another.

| File | One for each | First line | Lines |
| --- | --- | --- | --- |
| \`mouse/NAME.csv\` | person with a mouse | \`t_ms,button,state,x,y\` | an event of the pointer, in milliseconds and CSS pixels |
| \`keys/NAME.tsv\` | person with a keyboard | \`section press_ms release_ms letter keycode\`, between tabs | a key, in milliseconds from the sentence's first |

\`button\` is \`NoButton\`, \`Left\` or another; \`state\` is \`Move\`, \`Pressed\`, \`Released\` or another; \`keycode\` is JavaScript's \`keyCode\` on a US
keyboard. A reach begins after a rest of 350 ms and ends in a press of the left button.
`
