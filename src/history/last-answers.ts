import { aged, type Buckets, sliding } from './sliding.ts'
import type { Seconds, UnixSeconds } from '../domain/words.ts'

/** The last answers of the store, for callers that cannot wait for it. */
export interface LastAnswers {
  put(name: string, values: readonly Buckets[], length: Seconds, at: UnixSeconds): void
  /** The sliding counts at this moment; undefined: no answer yet. */
  get(name: string, now: UnixSeconds): readonly number[] | undefined
}

/** @param capacity names; when full, the one that was heard of longest ago goes. */
export function lastAnswers(capacity: number): LastAnswers {
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
