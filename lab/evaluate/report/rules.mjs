/** Engines, by what the widget finds that only they can do (`environment.engine`); WebKitGTK is none of them for sure. */
const ENGINES = ['WebKit', 'Chromium', 'Firefox', 'WebKit']
const NO_BROWSER = 'no browser'

/**
 * In what a visitor's visits ran, and which rules of the score fired in them.
 *
 * @param {{ name: string, kind: string, isBrowser?: boolean, visits: readonly any[] }} visitor
 * @param {{ commit: string, date: string }} facts
 * @returns {{ name: string, isPerson: boolean, engine: string, model: number, commit: string, date: string, visits: number, fired: Record<string, number> } | undefined}
 *   `fired`: visits of each rule; undefined: no visit was scored
 */
export function firedRow({ name, kind, isBrowser = true, visits }, { commit, date }) {
  const scored = visits.filter(({ score }) => score !== undefined)
  if (scored.length === 0) return undefined
  const fired = {}
  for (const { contributions } of scored)
    for (const rule of new Set(contributions.map((each) => each.name))) fired[rule] = (fired[rule] ?? 0) + 1
  const { signals, model } = scored.at(-1)
  const engine = isBrowser ? ENGINES[signals?.environment?.engine ?? 0] : NO_BROWSER
  return { name, isPerson: kind === 'person', engine, model, commit, date, visits: scored.length, fired }
}
