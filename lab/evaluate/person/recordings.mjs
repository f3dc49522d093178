import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSentences, rhythm } from './read-keys.mjs'
import { readReaches } from './read-mouse.mjs'

/** The recorded people of a folder. Each run of a visitor gets the pointer of one and the keys of another. */
export function recordings(folder) {
  for (const part of ['mouse', 'keys'])
    if (!existsSync(join(folder, part)))
      throw new Error(
        `no recordings in ${folder}: --traces DIR names a folder with mouse/*.csv and keys/*.tsv (docs/design/evaluation.md, "Recorded hands")`,
      )
  const names = (part, ending) =>
    readdirSync(join(folder, part))
      .filter((name) => name.endsWith(ending) && !name.includes('sentences'))
      .sort()
  const read = (part, name) => readFileSync(join(folder, part, name), 'utf8')
  const mice = names('mouse', '.csv')
    .map((name) => ({ name: name.replace('.csv', ''), reaches: readReaches(read('mouse', name)) }))
    .filter(({ reaches }) => reaches.length >= 8)
  const typists = names('keys', '.tsv')
    .map((name) => ({ name: name.replace('.tsv', ''), sentences: readSentences(read('keys', name)) }))
    .filter(({ sentences }) => sentences.length >= 3)
    .map((typist) => ({ ...typist, rhythm: rhythm(typist.sentences) }))
  if (mice.length === 0 || typists.length === 0) throw new Error(`no usable recording in ${folder}`)
  return {
    mice,
    typists,
    /** @param {number} i any whole number: another person for each, as long as there are any */
    person: (i) => ({ mouse: mice[i % mice.length], typist: typists[i % typists.length] }),
  }
}
