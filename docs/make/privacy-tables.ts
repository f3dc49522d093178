import { SIGNALS } from '../../src/score/signals.ts'
import { KEPT } from './history-kept.ts'
import { table } from './table.ts'

/** The tables of docs/operate/privacy.md, from the tables of signals and of history. */
export function privacyParts(): Readonly<Record<string, string>> {
  const signals = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.entries<{ max: number; says: string }>(kinds).map(([name, { max, says }]) => [
      `\`${family}.${name}\``,
      `0 to ${max}`,
      says,
    ]),
  )
  return {
    signals: table(['Member', 'Values', 'Meaning'], signals),
    history: table(
      ['Of', 'What', 'How long', 'What for', 'Key'],
      KEPT.map(({ of, key, what, until, why }) => [of, what, until, why, `\`${key}\``]),
    ),
  }
}
