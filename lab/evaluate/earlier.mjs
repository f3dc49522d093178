import { existsSync, readFileSync } from 'node:fs'
import { summarise } from './report/statistics.mjs'

/**
 * The result that further runs are to be added to.
 *
 * @param {string} file build/evaluation.json
 * @param {{ commit: string, hands: string }} facts of now
 * @throws {TypeError} when it is of another commit, or of other hands: scores of two services are not one result
 */
export function earlierResult(file, { commit, hands }) {
  if (!existsSync(file)) return undefined
  const earlier = JSON.parse(readFileSync(file, 'utf8'))
  if (earlier.commit === commit && earlier.hands === hands) return earlier
  throw new TypeError(
    `${file} is of commit ${earlier.commit} with hands ${earlier.hands}, this is ${commit} with ${hands}: without --add the runs begin anew`,
  )
}

/**
 * Both results in one: the visits of the earlier one, then the new ones.
 *
 * @template {{ runs: number, errors: number, minutes: number, visitors: object[] }} Result
 * @param {Result | undefined} earlier
 * @param {Result} result
 * @returns {Result}
 */
export function added(earlier, result) {
  if (!earlier) return result
  const visitors = result.visitors.map((visitor) => {
    const before = earlier.visitors.find(({ name }) => name === visitor.name)?.visits ?? []
    const visits = [...before, ...visitor.visits]
    return { ...summarise(visitor, visits), visits }
  })
  return {
    ...result,
    runs: earlier.runs + result.runs,
    errors: earlier.errors + result.errors,
    minutes: Math.round((earlier.minutes + result.minutes) * 10) / 10,
    visitors,
  }
}
