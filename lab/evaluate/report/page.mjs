import { markdownTable } from './table.mjs'

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

/**
 * docs/design/evaluation.md: the tables, on what they were measured, and how to read them.
 *
 * @param {{ machine: string, browsers: { chromium: string, firefox: string }, rows: readonly any[] }} list lab/results/evaluation.json
 */
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
  return `## ${title}\n\n${rule}\n\n${markdownTable(rows)}\n\n${said.join('\n')}\n`
}

const version = (text) => text.replace(/ built on.*/, '')

const HOW = `## How to read it

Tokens: response tokens that the visitor got, in all visits together. Score: median and range of all of them. Passed: forms that the customer's
handler accepted, of those that arrived. Seconds: median of a visit, the start of the browser included.

- The service is \`hv serve\` with a real Redis and one site whose settings are the defaults. Each visit has a customer of its own, on another
  host than the service, and comes through a proxy that gives it an address of its own; "keyboard only", "paste", "slow reader" and "dark,
  German" share one address, as people in a school do.
- People use an ordinary window on a display of their own, as an ordinary user with an empty profile; nothing is attached to the browser. The
  hands are of another person in each run, played through the X server. Synthetic ones come from a model with a seed
  ([risk.md](risk.md#synthetic-hands)): reaches with corrections, a mouse of 125 to 1,000 Hz, typing with mistakes. Recorded ones
  (\`--traces\`) are reaches turned and scaled to where the page says that its fields are, with the points a mouse of 125 Hz tells between
  two recorded ones; sentences with the mistakes as they were typed, and names in the same rhythm. The outcome is read from the customer's handler.
- Touch is a real touch device of the X server (Xorg's \`inputtest\`); fingers are neither recorded nor modelled, so its times are those of
  clicks, and typing is on a keyboard. The XTEST extension, by which mouse and keyboard are played, has no touch.
  The screen reader is a browser with the accessibility tree forced on and a keyboard, not a screen reader.
- People look what came of a click, and click once more where nothing did: a browser drops what comes before it has painted.
- Bots drive Debian's Chromium too, so that drivers are compared and not browsers.
- WebKit is WebKitGTK in Debian's MiniBrowser, with no debugger. It tells a page of a tap as of a mouse
  ([risk.md](risk.md#webkit)). MiniBrowser has no autofill, and the engine has no forced colours: a theme of high contrast
  gives \`prefers-contrast: more\`. So autofill and forced colours are not measured in it.
- Agents act by a fixed plan: field by field, the box, the button. It shows how their programs move and type; it does not show what a model looks at, where it
  hesitates, or what it mistypes.
- Chromium on Wayland is not among them. It was measured by hand (Chromium 156 in weston, the same hands): it stamps input when it reads it, so
  that times tell nothing there; all else is as on X11.
- Those who are listed and not judged are limited by what they cost, not by how they look: work that rises with rate and suspicion, limits for
  each address, site and action, reuse of the same behaviour, and single use. A paid person is a person.

## Run it

\`npm run evaluate\` needs Debian's chromium, chromium-driver, firefox-esr, webkit2gtk-driver, xvfb, openbox, xserver-xorg-core,
xserver-xorg-video-dummy, dbus-daemon, at-spi2-core, python3-pyatspi and redis-server, and nothing else beside the clone. Five runs take some 50 minutes on two cores: people take
their time.

\`--people\` leaves the bots out, \`--seed TEXT\` takes other synthetic people, \`--quick\` makes one visit each, \`--only NAME\` those whose name contains it, \`--keep\` puts them in the place of their earlier rows of this page, \`--json\` prints what build/evaluation.json has. Exit code 1: a person below
0.5 or turned away, or a separable bot let in. A visitor is one file of lab/evaluate/visitors/.

## Recorded hands

\`--traces DIR\` takes people's hands from recordings. The repository has none; the terms of a recording decide what it may be used for. The folder
has two parts; one visit takes the pointer of one person and the keys of another.

| File | One for each | First line | Lines |
| --- | --- | --- | --- |
| \`mouse/NAME.csv\` | person with a mouse | \`t_ms,button,state,x,y\` | an event of the pointer, in milliseconds and CSS pixels |
| \`keys/NAME.tsv\` | person with a keyboard | \`section press_ms release_ms letter keycode\`, between tabs | a key, in milliseconds from the sentence's first |

\`button\` is \`NoButton\`, \`Left\`, \`Right\` or \`Scroll\`; \`state\` is \`Move\`, \`Pressed\`, \`Released\`, \`Drag\`, \`Up\` or \`Down\`. \`letter\` may be empty and is
not read; \`keycode\` is JavaScript's \`keyCode\` on a US keyboard.

From a pointer the program takes each movement that begins after a rest of 350 ms and ends in a press of the left button: 8 moves or more, 60 pixels
or more, 150 to 2,500 ms, pressed for 20 to 400 ms, no more than 4 pixels of slip. A person with fewer than 8 of these is left out, and so is a typist with fewer
than 3 sentences of 8 keys. Keys that a US keyboard of letters, digits and common marks lacks are left out; Backspace (8) and Shift (16) belong to it. Files
whose name contains \`sentences\` are not read.
`
