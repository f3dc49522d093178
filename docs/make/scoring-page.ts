import { type Family, MODEL, REASONS, RULES, SCORE_FAMILIES } from '../../src/score/rules.ts'
import { type FiredRow, firedIn, visitsByEngine } from './fired-rules.ts'
import { linkCitations, table } from './table.ts'

/** Pages of the design that are cited by file and anchor become links. */
const linked = (text: string): string => linkCitations(text, 'design')
const signed = (value: number): string => (value === 0 ? '0' : value < 0 ? `−${-value}` : `+${value}`)

/** What each family looks at, and who may pay for it without being a bot. */
const FAMILY_SAYS: Readonly<Record<Family, readonly [looksAt: string, people: string]>> = {
  work: [
    'whether the work was done, and wholly',
    'slow devices that hand in a part lose a little; browsers without a JIT have a cap',
  ],
  automation: ['what drivers and debuggers leave in a page', 'people with developer tools open: that weighs lightly'],
  input: [
    'how the form was filled: counts, rhythms and rounded times of events, never what was typed',
    'assistive technology, autofill, paste, touch and keyboard-only use cost nothing',
  ],
  page: ['focus and visibility', 'nobody: it only adds'],
  request: [
    'the headers of the request',
    'people whose network changes between challenge and solution: that fails nobody alone',
  ],
  step: ['the button of a second try', 'nobody'],
  history: [
    'how often exactly the same behaviour came lately ([work.md](work.md#history))',
    'nobody: only visits that show much are compared',
  ],
}

/**
 * docs/design/scoring.md, from the tables of the score.
 *
 * @param measured the rows of lab/results/fired-rules.json
 */
export function scoringPage(measured: readonly FiredRow[]): string {
  const families = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [looksAt, people] = FAMILY_SAYS[family]
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt, people]
  })
  const rules = SCORE_FAMILIES.map((family) => {
    const own = RULES.filter((rule) => rule.family === family)
    const rows = own.map(({ name, weight, cap, reason, evidence, people }) => {
      const most = cap === undefined ? '' : `, cap ${signed(cap)}`
      return `- \`${name}\` **${signed(weight)}**${most} (${reason}): ${linked(evidence)} *People:* ${linked(people)} ${firedIn(name, measured)}`
    })
    return [`### ${family}`, '', ...rows].join('\n')
  })
  return `<!-- generated from src/score by docs/make/scoring-page.ts: npm run docs writes it -->
# The score

From 0 to 1, two decimals, higher is more likely human; a visitor passes at \`score >= score_threshold\`. Model ${MODEL.version}.

\`score = 1 / (1 + e^−x)\`, and x is the base (${signed(MODEL.base)}), plus what each rule contributes: its weight times how strongly it fired (0 to 1), each
family clipped to its bounds, all of that held down to the cap of a rule that has one, plus what a rule of the site adds. These are log-odds: +0.7 doubles the odds that a visitor is a person, −0.7 halves
them. A visit that shows nothing but honest work stands at ${(1 / (1 + Math.exp(-MODEL.base))).toFixed(2)}; what a browser does not show adds nothing and takes nothing.

The score is for programs that do not care. Whoever has read this page leaves out what speaks against a visit, and passes: a token costs that program $0.0008
of compute for a thousand and one address-slot of ten minutes ([price-list.md](price-list.md)). [risk.md](risk.md#what-separates) says which tools are
recognised by what.

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

The weights stand in one table, \`src/score/rules.ts\`; a change of any bumps the model's version.
Each rule has its weight, its reason in brackets, its evidence, the people it may hurt, and where it was seen to fire.

### Measured

${table(['Engine', 'Visits of people', 'Visits of programs'], visitsByEngine(measured))}

These are the visits of [evaluation.md](evaluation.md) whose contributions were kept (\`lab/results/fired-rules.json\`, written by \`npm run evaluate\`); a
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
  bounds: {input: [-3, 2.2]}
  off: [typing-without-pauses]
\`\`\`

Rules of your own (\`sites[].rules\`, [config/README.md](../../config/README.md)) come beside it: \`allow\` makes the score 1, \`deny\` makes it 0 and is refused at any
threshold, \`score\` adds to x outside the families' bounds. \`hv rules test\` says which one a visit meets.
A change of the threshold can be tried first: \`shadow_threshold\` logs \`would_reject\` without refusing anybody.

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

/** The model as other programs read it: `test/vectors/score-model.json`. */
export const scoreModel = (): string => {
  const rules = RULES.map(({ id, name, family, reason, weight, cap }) => [
    id,
    name,
    family,
    reason,
    weight,
    cap ?? null,
  ])
  const says = 'The model of the score; rules are [id, name, family, reason, weight, cap].'
  return JSON.stringify({ says, ...MODEL, families: SCORE_FAMILIES, reasons: REASONS, rules })
}
