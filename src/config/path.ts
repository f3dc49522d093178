import type { Path } from '../schema/schema.ts'
import { printable } from './printable.ts'

/** How a problem names a place: `sites[2].score_threshold`; the top is `file`. Two places never share a name. */
export function formatPath(path: Path): string {
  if (path.length === 0) return 'file'
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      // Names of our own settings stand bare; anything else came out of the file and is quoted.
      if (!/^[a-z][a-z0-9_]{0,39}$/.test(step)) return `[${printable(step)}]`
      return index === 0 ? step : `.${step}`
    })
    .join('')
}

/** Whether `inner` is `outer` or inside of it. */
export const within = (inner: Path, outer: Path): boolean => outer.every((step, index) => inner[index] === step)
