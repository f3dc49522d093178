import type { ConfigError, Problem } from './config.ts'

/**
 * Every problem on a line of its own, columns aligned:
 *
 *     config/config.yaml: 2 to fix, nothing was started
 *       12:19  sites[0].token_lifetime   wants 30s to 600s; got 2h
 *       31:22  sites[2].score_threshold  wants a number from 0 to 1; got 50 (a percentage? 0.5)
 *
 * @param consequence what did not happen because of it.
 * @returns lines without a last line end.
 */
export function formatReport(error: ConfigError, consequence = 'nothing was started'): string {
  const { file, problems } = error
  const places = problems.map(place)
  const wide = Math.max(0, ...places.map((text) => text.length))
  // One very long name must not push every other problem off the screen.
  const names = Math.min(48, Math.max(0, ...problems.map(({ where }) => where.length)))
  const lines = problems.map(({ where, says }, index) => {
    const at = wide === 0 ? '' : `${places[index]!.padEnd(wide)}  `
    return `  ${at}${where.padEnd(names)}  ${says}`
  })
  return [`${file}: ${problems.length} to fix, ${consequence}`, ...lines].join('\n')
}

/** As terminals and editors recognise it: `config/sites/shop.yaml:12:19`. */
function place({ file, line, column }: Problem): string {
  const at = line === undefined ? '' : `${line}:${column ?? 1}`
  return [file, at].filter(Boolean).join(':')
}
