import { handOf } from '../hands/hand.mjs'
import { recordedPerson } from './recorded-person.mjs'
import { recordings } from './recordings.mjs'

/**
 * Finds the people whose hands visitors have: recorded ones of a folder, else synthetic ones.
 *
 * @param {string | undefined} traces folder of recordings
 * @param {string} [seed] other synthetic people for another seed
 * @returns {{ kind: string, person: (i: number, dice: object) => object }} `person`: another one for each whole number
 * @throws {Error} one clear sentence when there are no recordings in the folder
 */
export function people(traces, seed = '1') {
  if (traces === undefined) return { kind: `synthetic, seed ${seed}`, person: (i) => handOf(`${seed} ${i}`) }
  const recorded = recordings(traces)
  return { kind: 'recorded', person: (i, dice) => recordedPerson(recorded.person(i), dice) }
}
