import type { Path } from '../schema/schema.ts'
import { looksSecret, show } from './printable.ts'

/** Something wrong, by its place in the settings; where that is in the file comes later. */
export interface Finding {
  readonly path: Path
  readonly says: string
  /** An earlier place; `is the same as …` is said in front, with its file where there are several. */
  readonly sameAs?: Path
  /** Whether to point at the name rather than the value: for names that are unknown, or there twice. */
  readonly atKey?: boolean
  /** Point here instead; for something missing that another setting asks for. */
  readonly near?: Path
  /** Where exactly, in characters from the start of the file; only what reads the file can know. */
  readonly offset?: number
}

/**
 * `wants …; got … (hint)`, the one form of a wrong value.
 *
 * @param hint may spell the value as it should be; where the value may be a secret, such a hint is left out.
 */
export function wants(path: Path, wish: string, got: unknown, hint?: string): Finding {
  const isTold = hint !== undefined && !(typeof got === 'string' && looksSecret(got) && looksSecret(hint))
  return { path, says: `wants ${wish}; got ${show(got, path)}${isTold ? ` (${hint})` : ''}` }
}
