import { LEDGER_MARGIN } from '../../src/domain/challenge.ts'
import { SIGNALS } from '../../src/score/signals.ts'
import { KEPT } from './history-kept.ts'
import { table } from './table.ts'

/** What the service has of a visit besides the summary and history, where, and how long. */
const ELSEWHERE: readonly (readonly string[])[] = [
  [
    'the visitor’s address',
    'memory of the process',
    'limits, score, rules; comparison with `remoteip`',
    'a minute at most; a keyed hash of it is sealed in the response token',
  ],
  [
    'keyed hash of the address',
    'limits: Redis, or memory',
    'how often an address may call',
    'the window of the limit (default 1 minute)',
  ],
  [
    'id of a challenge, and of the attempt that used it',
    'ledger: Redis, or memory',
    'a token is accepted at most once',
    `until its last token has expired, and ${LEDGER_MARGIN} s (by default 13 minutes)`,
  ],
  [
    'one line per request: time, operation, site, action, hostname, id, score, `decision`, network',
    'your log',
    'operation, disputes, back-tests',
    'as long as you keep your log; 14 days are usual',
  ],
  [
    'the networks (IPv4 /24, IPv6 /48) that were rate limited, 100 a minute',
    'dashboard: memory of the process',
    'to see where abuse comes from',
    'an hour',
  ],
  ['counts without a person', 'metrics', 'operation', 'as long as you keep your metrics'],
]

const HEADERS: readonly string[] = [
  '`Origin`: which site’s page it is',
  '`User-Agent`, `Sec-CH-UA` and `Sec-Fetch-…`: whether they are those of a browser',
  'with `tls_fingerprint_header`: what your own proxy says of the TLS (JA4), from trusted proxies alone, for rules of a site',
  'with `agents`: `Signature`, `Signature-Input`, `Signature-Agent` and the headers that they cover: which agent of the configuration asks ([docs/operate/agents.md](agents.md))',
  '`X-Forwarded-For`: from trusted proxies alone',
]

/** docs/operate/privacy.md, from the tables of signals and of history. */
export function privacyPage(): string {
  const signals = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.entries<{ max: number; says: string }>(kinds).map(([name, { max, says }]) => [
      `\`${family}.${name}\``,
      `0 to ${max}`,
      says,
    ]),
  )
  return `<!-- generated from src/score/signals.ts and docs/make/history-kept.ts by docs/make/privacy-page.ts: npm run docs writes it -->
# Privacy: what is read, what is kept, for how long

This page says what the service reads of a visitor, what it keeps and until when: first for the manager, then item by item. For example, the whole
address of a visitor is in memory for a minute at most, and never in the log.

## For the manager

You run the service, so you are the controller (GDPR, article 4 (7)), and nobody else receives anything: no third party, no request to others, no
cookie, no storage in the browser. Its one purpose is to keep automated abuse away from a form.

| Question | Answer |
|---|---|
| Is what people type read? | No. Keys are counted and timed, never named; texts, clicked places and movements stay in the page. |
| Is anybody recognised again? | No. Nothing joins two sites, and a keyed hash of an address lives for an hour at most by default, of its network for 2 days. |
| Is it personal data? | Yes, a little: the address for a minute, its keyed hash for minutes, and the network (IPv4 /24, IPv6 /48) in your log. |
| Does it need consent? | The usual basis is legitimate interest (article 6 (1) f). Ask your adviser about the ePrivacy rules of your country. |
| Does it decide about people? | It gives a number. Your handler refuses or accepts; offer another way in ([refused.md](../widget/refused.md)). |
| Does data leave the country? | No further than your own servers. |

A paragraph for your privacy policy; change what is in brackets:

> To protect our forms against automated abuse, our own server checks each submission. For this it reads technical data of your browser and how the
> form was used (counts and rounded times of key presses and movements, never their content), and your IP address. The address is held for a
> minute at most; a hash of it that we cannot turn back without a key is held for [one hour], to limit attacks. Our log holds a shortened
> address for [14 days]. No cookie is set and no third party receives data. The basis is our legitimate interest in working forms
> (article 6 (1) f GDPR). If a submission is refused although you are a person, write to [address].

[privacy-templates.md](privacy-templates.md) has an entry for your records of processing, the annex of a processing agreement, and an impact assessment to fill in.

## Read in the browser

A summary of whole numbers, made when the form is sent; everything else stays in the page. Each member is optional. Without \`proof\` a visit
stays below the default threshold. Any other that is left out is not held against the visitor, but what it would have said for them is missing: a visit that
shows nothing but honest work is below the default threshold, too ([scoring.md](../design/scoring.md)).

${table(['Member', 'Values', 'Meaning'], signals)}

\`proof\` is none of the visitor's: answers to tasks that the challenge threw, the same in every browser ([proof.md](../design/proof.md)). Not kept.

## Read from the request

${HEADERS.map((line) => `- ${line}`).join('\n')}

None of these is kept of a visitor: the score is computed from them, and the log says which rules fired. The meaning of some hundred origins and agent strings
stays in the memory of the process, tied to nobody, so that it need not be read again for each visitor who has the same.

## Kept

${table(['What', 'Where', 'What for', 'How long'], ELSEWHERE)}

History, in Redis or in the memory of the process ([history.md](../design/history.md)). Hashes are keyed; ways of using the page are counts and
rounded times, never what was typed.

${table(
  ['Of', 'What', 'How long', 'What for'],
  KEPT.map(({ of, what, until, why }) => [of, what, until, why]),
)}

Hashes of addresses and of behaviour are keyed with a key of the keyring: with the store alone nobody can turn them back, and a replaced key makes
them strangers. With local files (\`network\`), country and network number are looked up in memory and stand in the log's \`decision\`.

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
