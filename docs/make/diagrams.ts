/** The diagram of a visit, as SVG that follows the reader's light or dark theme. */

const STYLE = `<style>
text { font: 14px system-ui, sans-serif; fill: #1c2530 }
.small { font-size: 12px; fill: #525f6d }
.name { font-weight: 600 }
.box { fill: #f4f6f8; stroke: #8b98a5 }
.line { stroke: #0b5cad; stroke-width: 1.5; fill: none }
.life { stroke: #c3ccd5; stroke-dasharray: 4 4 }
.head { fill: #0b5cad }
@media (prefers-color-scheme: dark) {
text { fill: #e3e9ef }
.small { fill: #a4b1be }
.box { fill: #1b222b; stroke: #62707e }
.line { stroke: #7ab8f5 }
.life { stroke: #3a4653 }
.head { fill: #7ab8f5 }
}
</style>`

const svg = (width: number, height: number, title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
${STYLE}
${parts.join('\n')}
</svg>
`
const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}"${more}>${words}</text>`
const box = (x: number, y: number, width: number, height: number): string =>
  `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`

const ACTORS = ['Browser (widget)', 'Your server', 'human-verification', 'Ledger'] as const
/** From one actor to another; of one alone: a note. */
const MESSAGES: readonly (readonly [from: number, to: number, says: string])[] = [
  [0, 2, 'challenge: at the first touch of the form'],
  [2, 0, 'signed challenge: work, browser tasks'],
  [0, 0, 'works while the visitor types'],
  [0, 2, 'solve: at the submit; solution, counts of the visit'],
  [2, 3, 'consume the challenge, once'],
  [2, 0, 'response token, valid for 2 minutes'],
  [0, 1, 'form, with svc-response'],
  [1, 2, 'siteverify: secret, token'],
  [2, 3, 'consume the token, once'],
  [2, 1, 'accepted or why not, score'],
]

/** docs/pictures/request.svg */
export function requestDiagram(): string {
  const [column, top, step] = [240, 62, 40]
  const height = top + MESSAGES.length * step + 10
  const at = (actor: number): number => 100 + actor * column
  const actors = ACTORS.flatMap((name, i) => [
    `<line class="life" x1="${at(i)}" y1="40" x2="${at(i)}" y2="${height}"/>`,
    box(at(i) - 85, 4, 170, 36),
    text(at(i), 27, name, ' text-anchor="middle" class="name"'),
  ])
  const messages = MESSAGES.flatMap(([from, to, says], i) => {
    const y = top + i * step + 20
    if (from === to) return [text(at(from) + 10, y, says, ' class="small"')]
    const towards = to > from ? -1 : 1
    const [start, end] = [Math.min(at(from), at(to)), Math.max(at(from), at(to))]
    return [
      text((start + end) / 2, y - 6, says, ' class="small" text-anchor="middle"'),
      `<line class="line" x1="${at(from)}" y1="${y}" x2="${at(to) + towards * 8}" y2="${y}"/>`,
      `<path class="head" d="M${at(to)} ${y}l${towards * 9} -4.5v9z"/>`,
    ]
  })
  return svg(at(3) + 100, height, 'A visit: browser, your server, the service and its ledger', [...actors, ...messages])
}
