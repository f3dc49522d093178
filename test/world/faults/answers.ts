import type { Answer, Books } from './books.ts'

/** What was asked and answered between two moments. */
export const between = ({ answers }: Books, from: number, to: number): readonly Answer[] =>
  answers.filter(({ at, ms }) => at > from && at + ms < to)

/** What was asked since, and got a 5xx or no answer. */
export const failedSince = ({ answers }: Books, since: number): readonly Answer[] =>
  answers.filter(({ at, status }) => at > since && (status === 0 || status >= 500))

export const codes = (answers: readonly Answer[]): Set<string> => new Set(answers.map(({ code }) => code))
export const statuses = (answers: readonly Answer[]): Set<number> => new Set(answers.map(({ status }) => status))
/** Milliseconds. */
export const longest = (answers: readonly Answer[]): number => Math.max(...answers.map(({ ms }) => ms))
