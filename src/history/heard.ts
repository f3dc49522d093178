import { aged, type Buckets, sliding } from '../domain/sliding.ts'
import type { Seconds, UnixSeconds } from '../domain/words.ts'

/** What the store answered last, for those who cannot wait for it. */
export interface Heard {
  put(name: string, values: readonly Buckets[], length: Seconds, at: UnixSeconds): void
  /** The sliding counts at this moment; undefined: nothing heard. */
  get(name: string, now: UnixSeconds): readonly number[] | undefined
}

/** @param capacity names; when full, the one that was heard of longest ago goes. */
export function heard(capacity: number): Heard {
  const answers = new Map<string, { values: readonly Buckets[]; length: Seconds; at: UnixSeconds }>()
  return {
    put(name, values, length, at) {
      answers.delete(name)
      if (answers.size >= capacity) answers.delete(answers.keys().next().value!)
      answers.set(name, { values, length, at })
    },
    get(name, now) {
      const answer = answers.get(name)
      return answer?.values.map((value) => sliding(aged(value, answer.at, now, answer.length), now, answer.length))
    },
  }
}
