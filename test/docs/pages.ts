/** docs/scoring.md and docs/privacy.md, made from the tables of the code, so that they cannot say anything else. */
import { LIST_KINDS } from '../../src/domain/network.ts'
import { LEDGER_MARGIN } from '../../src/domain/challenge.ts'
import { MODEL, RULES } from '../../src/domain/score-model.ts'
import { type Family, REASONS, SCORE_FAMILIES } from '../../src/domain/score-rule.ts'
import { SIGNALS } from '../../src/domain/signals.ts'
import { KEPT } from '../../src/history/kept.ts'
import { KEEP } from '../../src/ops/fleet-store.ts'

/** A table of Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const signed = (value: number): string => (value === 0 ? '0' : value < 0 ? `−${-value}` : `+${value}`)

/** What each family looks at, and who may pay for it without being a bot. */
const FAMILY_SAYS: Readonly<Record<Family, readonly [looksAt: string, people: string]>> = {
  work: [
    'whether the work was done, wholly, and in a time that a device can need',
    'slow devices: they may hand in a part, and lose a little of the score for it; browsers without a JIT, whose score is capped',
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
    'assistive technology, autofill, paste, touch and keyboard-only use are recognised and cost nothing',
  ],
  page: [
    'focus, visibility and the time from the first touch to the submit',
    'people who open tabs in the background, or whose password manager fills and submits at once',
  ],
  request: [
    'the headers of the request',
    'people behind proxies that rewrite headers: what is only missing weighs little beside what was shown',
  ],
  history: [
    'how often the address, its network and the same behaviour came lately (docs/history.md)',
    'schools, offices and carriers that share an address: the limits are set for hundreds of people an hour',
  ],
  network: [
    'what the operator’s local files say of the address',
    'people behind a VPN, a company’s gateway or Tor: only the operator’s own `abuse` list can fail a person alone',
  ],
}

/** docs/scoring.md */
export function scoringPage(): string {
  const families = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [looksAt, people] = FAMILY_SAYS[family]
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt, people]
  })
  const rules = SCORE_FAMILIES.map((family) => {
    const own = RULES.filter((rule) => rule.family === family)
    const rows = own.map(({ name, weight, cap, reason, evidence }) => [
      `\`${name}\``,
      cap === undefined ? signed(weight) : `${signed(weight)}, cap ${signed(cap)}`,
      reason,
      evidence,
    ])
    return [`### ${family}`, '', table(['Rule', 'Weight', 'Reason', 'Evidence, and who it may hurt'], rows)].join('\n')
  })
  return `<!-- made from src/domain by test/docs/pages.ts: npm run docs:pages writes it -->
# The score

From 0 to 1, two decimals, higher is more likely human; a visitor passes at \`score >= score_threshold\`. Model ${MODEL.version}.

\`score = 1 / (1 + e^−x)\`, and x is the base (${signed(MODEL.base)}), plus what each rule contributes: its weight times how strongly it fired (0 to 1), each
family clipped to its bounds, all of that held down to the cap of a rule that has one, plus what a rule of the site adds. These are log-odds: +0.7 doubles the odds that a visitor is a person, −0.7 halves
them. A visit that shows nothing but honest work stands at ${(1 / (1 + Math.exp(-MODEL.base))).toFixed(2)}; what a browser does not show adds nothing and takes nothing.

## Recompute one

\`\`\`sh
hv explain eyJhbGciOi…                       # a token, with the keyring
grep decision service.log | head -1 | hv explain   # a line of the log, without one
\`\`\`

Each prints every contribution, the bound that clipped it and the score computed again; exit code 1 where it does not come out the same. The log's
\`decision\` has the model's version, a hash of your changes, the base, every rule that fired with its strength, the threshold, the work, the rule of the
site that was met and what local files said of the address: no address, no token, no agent string.

## Families

No family decides without bounds, and no single signal of the environment fails anybody.

${table(['Family', 'Bounds', 'Looks at', 'People who may pay'], families)}

## Rules

The weights stand in \`src/domain/rules/\`, one table for each family; a change of any bumps the model's version.

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

Rules of your own (\`sites[].rules\`, [config/README.md](../config/README.md)) come beside it: \`allow\` makes the score 1, \`deny\` makes it 0 and is refused at any
threshold, \`score\` adds to x outside the families' bounds. \`hv rules test\` says which one a visit meets. Try a change first:

\`\`\`sh
hv policy diff new.yaml --decisions service.log
\`\`\`

says who would flip, by site and action; \`shadow_threshold\` logs \`would_reject\` without refusing anybody.

## Lists of addresses

${table(
  ['Kind', 'Holds'],
  Object.entries(LIST_KINDS).map(([kind, says]) => [`\`${kind}\``, says]),
)}

Of the first four the strongest counts, not their sum. Nothing is asked over the network: the files are yours.

## What it does not do

- A real browser without a debugger, whose input comes from the operating system along human paths, cannot be told from a person by looking; nor can
  the same through a hardware device, nor a paid person. Work that rises with rate and suspicion, limits, history and single use price them.
- Input over the DevTools protocol is told by what the engine does with it (times, bundles, pressure): measured in Chromium on X11 and Wayland.
  Keys alone, with no pointer, sent so with forged time stamps and a person's rhythm are not told; on Wayland and other systems, nor without forging.
- A robot at the X server is told by even, straight and balanced ways, presses and rhythms. One that hurries first and settles long, as a
  hand does, or that replays a recorded hand with some jitter, is the first case again.
- It does not prove that somebody is a person, says nothing of intent, and is no reason to lock anybody out for good: offer another way.
- Everything a browser says can be made up. What was made up without a browser is limited by what the server fixed in the signed challenge.
- It does not learn: no training, no profile, nothing that follows a visitor from site to site.
- \`npm run evaluate\` drives visitors against the service and says what each scores, the inseparable ones included.
`
}

/** What the service has of a visit besides the summary and history, where, and how long. */
const ELSEWHERE: readonly (readonly string[])[] = [
  [
    'the visitor’s address',
    'memory of the process',
    'limits, score, rules; compared with the `remoteip` of your server',
    'a minute at most; a keyed hash of it is sealed in the response token, which you throw away after siteverify',
  ],
  ['keyed hash of the address', 'limits: Redis, or memory', 'how often an address may call', 'the window of the limit (default 1 minute)'],
  [
    'id of a challenge, and of the attempt that used it',
    'ledger: Redis, or memory',
    'a token is accepted at most once',
    `until its last token is over, and ${LEDGER_MARGIN} s (by default 13 minutes)`,
  ],
  [
    'one line per request: time, operation, site, action, hostname, id, score, `decision`, and the network (IPv4 /24, IPv6 /48)',
    'your log',
    'operation, disputes, back-tests',
    'as long as you keep your log; 14 days are usual',
  ],
  [
    'the networks (IPv4 /24, IPv6 /48) that were refused most often, 100 of each process',
    'dashboard: Redis, or memory',
    'to see where abuse comes from',
    `${Math.round(KEEP / 60)} minutes`,
  ],
  ['counts without a person', 'metrics', 'operation', 'as long as you keep your metrics'],
]

const HEADERS: readonly string[] = [
  '`Origin`: which site’s page it is',
  '`User-Agent`, `Accept`, `Accept-Language`, `Accept-Encoding`, the client hints `Sec-CH-UA…`, `Sec-Fetch-…`, and the order of the names: whether they are those of one browser',
  '`X-Forwarded-For`: from trusted proxies alone',
  'with `tls_fingerprint_header`: what your own proxy says of the TLS (JA4), from trusted proxies alone',
]

/** docs/privacy.md */
export function privacyPage(): string {
  const signals = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.entries<{ max: number; says: string }>(kinds).map(([name, { max, says }]) => [
      `\`${family}.${name}\``,
      `0 to ${max}`,
      says,
    ]),
  )
  return `<!-- made from src/domain/signals.ts and src/history/kept.ts by test/docs/pages.ts: npm run docs:pages writes it -->
# Privacy: what is read, what is kept, for how long

For your records of processing (GDPR, article 30), your notice to visitors (article 13) and your assessment. You run the service, so you are the
controller and nobody else receives anything: no third party, no request to others, no cookie, no storage in the browser.

Purpose: to keep automated abuse away from a form. What people type, where they click, what they look like and who they are is not read. Nothing is
joined over sites, and nobody is followed from one visit to the next beyond the minutes below.

## Read in the browser

A summary of whole numbers, made when the form is sent; everything else stays in the page. Each member is optional. Without \`proof\` a visit
stays below the default threshold. Any other that is left out is not held against the visitor, but what it would have said for them is missing: a visit that
shows nothing but honest work is below the default threshold, too ([docs/scoring.md](scoring.md)).

${table(['Member', 'Values', 'Says'], signals)}

\`proof\` is none of the visitor's: answers to tasks that the challenge threw, the same in every browser ([docs/proof.md](proof.md)). Not kept.

## Read from the request

${HEADERS.map((line) => `- ${line}`).join('\n')}

None of these is kept of a visitor: the score is computed from them, and the log says which rules fired. What some hundred origins and agent strings
mean stays in the memory of the process, tied to nobody, so that it need not be read again for each visitor who has the same.

## Kept

${table(['What', 'Where', 'What for', 'How long'], ELSEWHERE)}

History, in Redis or in the memory of the process ([docs/history.md](history.md)):

${table(
  ['Of', 'What', 'How long', 'What for'],
  KEPT.map(({ of, what, until, why }) => [of, what, until, why]),
)}

Hashes of addresses and of behaviour are keyed with a key of the keyring: whoever has the store alone cannot turn them back, and whoever replaces the
key has made them strangers. With local files (\`network\`), country and network number are looked up in memory and stand in the log's \`decision\`.

## For the lawyer

- Personal data are the address, for a minute, and its keyed hash, for minutes; with your log, the network of the address. A usual basis is the
  legitimate interest in keeping a form usable (article 6 (1) f): no milder means was found that keeps bulk abuse away without a third party.
- Reading the summary is needed for the service that the visitor asks for, a form that works; ask your adviser whether that holds for your form under
  the ePrivacy rules of your country (article 5 (3)).
- No decision with legal effect is made automatically (article 22): the service gives a number, and your handler decides. Offer another way in.
- Requests of visitors (articles 15 to 21): the id (\`jti\`) of a submission, if your server kept it, finds its lines in your log and \`hv explain\` says what
  was computed. Without it nothing can be joined to a person.
- To keep less: \`log_level: warn\` writes no line per request, and without \`redis\` nothing leaves the process.
`
}
