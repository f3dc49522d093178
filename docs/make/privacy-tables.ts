import { SIGNALS } from '../../src/score/signals.ts'
import { type Parts, table } from './table.ts'

/** The table of signals in docs/operate/privacy.md. */
export function privacyParts(): Parts {
  const signals = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.entries<{ max: number; says: string }>(kinds).map(([name, { max, says }]) => [
      `\`${family}.${name}\``,
      `0 to ${max}`,
      says,
    ]),
  )
  return { signals: table(['Member', 'Values', 'Meaning'], signals) }
}
