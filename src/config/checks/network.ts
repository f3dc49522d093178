import type { Path } from '../../schema/schema.ts'
import type { Finding } from '../finding.ts'
import { entries, member, text } from './unknown-values.ts'
import { formatPath } from '../path.ts'

/** Rules of `network`: one name is one list. */
export function* networkFindings(file: unknown): Iterable<Finding> {
  const names = new Map<string, Path>()
  for (const [index, list] of entries(member(member(file, 'network'), 'lists'))) {
    const name = text(member(list, 'name'))
    if (name === undefined) continue
    const place: Path = ['network', 'lists', index, 'name']
    const earlier = names.get(name)
    if (earlier === undefined) names.set(name, place)
    else yield { path: place, says: `is the same as ${formatPath(earlier)} (each list has a name of its own)` }
  }
}
