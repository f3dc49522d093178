import { LIST_KINDS } from '../../src/domain/network.ts'
import { MODEL, RULES } from '../../src/domain/score/score-model.ts'
import { type Family, REASONS, SCORE_FAMILIES } from '../../src/domain/score/score-rule.ts'
import { type FiredRow, firedIn, visitsByEngine } from './fired-rules.ts'
import { linkCitations, table } from './table.ts'

/** Pages of the design that are cited by file and anchor become links. */
const linked = (text: string): string => linkCitations(text, 'design')
const signed = (value: number): string => (value === 0 ? '0' : value < 0 ? `−${-value}` : `+${value}`)

/** What each family looks at, and who may pay for it without being a bot. */
const FAMILY_SAYS: Readonly<Record<Family, readonly [looksAt: string, people: string]>> = {
  work: [
    'whether the work was done, wholly, and in a time that a device can need',
    'slow devices that hand in a part lose a little; browsers without a JIT have a cap',
  ],
  automation: [
    'what drivers and debuggers leave in a page',
    'people with developer tools open, or with extensions that replace functions of the browser: such rules weigh lightly',
  ],
  environment: [
    'whether what the browser says of itself fits together',
    'privacy browsers, kiosks, remote desktops: the family can never fail a person alone',
  ],
  input: [
    'how the form was filled: counts, rhythms and rounded times of events, never what was typed',
    'assistive technology, autofill, paste, touch and keyboard-only use cost nothing',
  ],
  page: [
    'focus, visibility and the time from the first touch to the submit',
    'people who open tabs in the background, or whose password manager fills and submits at once',
  ],
  request: [
    'the headers of the request',
    'people behind proxies that rewrite headers: what is only missing weighs little beside what was shown',
  ],
  step: ['the button of a second try', 'nobody'],
  history: [
    'how often the address, its network and the same behaviour came lately ([history.md](history.md))',
    'schools, offices and carriers that share an address: limits allow hundreds an hour',
  ],
  network: [
    'what the operator’s local files say of the address',
    'people behind a VPN, a company’s gateway or Tor: only the operator’s own `abuse` list can fail a person alone',
  ],
}

/**
 * docs/design/scoring.md, from the tables of the score.
 *
 * @param measured the rows of evaluate/results/fired-rules.json
 */
export function scoringPage(measured: readonly FiredRow[]): string {
  const families = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [looksAt, people] = FAMILY_SAYS[family]
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt, people]
  })
  const rules = SCORE_FAMILIES.map((family) => {
    const own = RULES.filter((rule) => rule.family === family)
    const rows = own.map(({ name, weight, cap, reason, evidence }) => {
      const most = cap === undefined ? '' : `, cap ${signed(cap)}`
      return `- \`${name}\` **${signed(weight)}**${most} (${reason}): ${linked(evidence)} ${firedIn(name, measured)}`
    })
    return [`### ${family}`, '', ...rows].join('\n')
  })
  return `<!-- generated from src/domain/score by docs/make/scoring-page.ts: npm run docs writes it -->
# The score

From 0 to 1, two decimals, higher is more likely human; a visitor passes at \`score >= score_threshold\`. Model ${MODEL.version}.

\`score = 1 / (1 + e^−x)\`, and x is the base (${signed(MODEL.base)}), plus what each rule contributes: its weight times how strongly it fired (0 to 1), each
family clipped to its bounds, all of that held down to the cap of a rule that has one, plus what a rule of the site adds. These are log-odds: +0.7 doubles the odds that a visitor is a person, −0.7 halves
them. A visit that shows nothing but honest work stands at ${(1 / (1 + Math.exp(-MODEL.base))).toFixed(2)}; what a browser does not show adds nothing and takes nothing.

## Recompute one

\`\`\`sh
hv explain AAAAAAAAAAAAAAAAAAAAAA --log service.log   # by the jti of the token
grep decision service.log | head -1 | hv explain      # a line of the log
\`\`\`

Each prints every contribution, the bound that clipped it and the score computed again; exit code 1 where it does not come out the same. The log's
\`decision\` has the model's version, a hash of your changes, the base, every rule that fired with its strength, the threshold, the work, the rule of the
site that was met and what local files said of the address: no address, no token, no agent string.

## Families

No family decides without bounds, and no single signal of the environment fails anybody.

${table(['Family', 'Bounds', 'Looks at', 'People who may pay'], families)}

## Rules

The weights stand in \`src/domain/score/rules/\`, one table for each family; a change of any bumps the model's version.
Each rule has its weight, its reason in brackets, its evidence, the people it may hurt, and where it was seen to fire.

### Measured

${table(['Engine', 'Visits of people', 'Visits of programs'], visitsByEngine(measured))}

These are the visits of [evaluation.md](evaluation.md) whose contributions were kept (\`evaluate/results/fired-rules.json\`, written by \`npm run evaluate\`); a
program without a browser says of itself what it likes. At the end of each rule stands in how many of them it fired, where it did: \`Chromium 1 + 9\` is one
visit of a person and nine of programs. In an engine that is not named there the rule was silent, for people and programs alike. "Nowhere" means that
the evidence and the tests are all there is: rules about history and lists of addresses, for example, which no single visit meets.

${rules.join('\n\n')}

## Reasons

\`${REASONS.join('`, `')}\`: what speaks against a visitor, the strongest first; \`behaviour\` alone where nothing does and nothing speaks for a person either. They
stand in the log and in the metrics; the customer gets them only for a site with \`reasons: true\`, for its log. Never show them to a visitor: a bot learns
from them what to change.

## Change it

\`\`\`yaml
score:                       # for all sites; under a site: for that one, on top
  weights: {console-listener: -0.8}
  bounds: {network: [-1, 0]}
  off: [natives-altered]
\`\`\`

Rules of your own (\`sites[].rules\`, [config/README.md](../../config/README.md)) come beside it: \`allow\` makes the score 1, \`deny\` makes it 0 and is refused at any
threshold, \`score\` adds to x outside the families' bounds. \`hv rules test\` says which one a visit meets.
A change of the threshold can be tried first: \`shadow_threshold\` logs \`would_reject\` without refusing anybody.

## Lists of addresses

${table(
  ['Kind', 'Holds'],
  Object.entries(LIST_KINDS).map(([kind, says]) => [`\`${kind}\``, says]),
)}

Among the first four kinds the strongest counts, not their sum. Nothing is asked over the network: the files are yours.

## What it does not do

- A real browser without a debugger, whose input comes from the operating system along human paths, cannot be told from a person by looking; nor can
  the same through a hardware device, nor a paid person. Work that rises with rate and suspicion, limits, history and single use price them.
- Input over the DevTools protocol is told by what the engine does with it (times, bundles, pressure): measured in Chromium on X11 and Wayland.
  Keys alone, with no pointer, sent so with forged time stamps and a person's rhythm are not told; on Wayland and other systems, nor without forging.
- A robot at the X server is told by even, straight and balanced ways, presses and rhythms. One that hurries first and settles long, as a
  hand does, or that replays a recorded hand with some jitter, is the first case again.
- It does not prove that somebody is a person, says nothing of intent, and is no reason to lock anybody out for good: offer another way.
- Everything a browser says can be made up. The signed challenge limits what can be made up without a browser.
- It does not learn: no training, no profile, nothing that follows a visitor from site to site.
- \`npm run evaluate\` drives visitors against the service and says what each scores, the inseparable ones included.
`
}
