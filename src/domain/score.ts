import type { RequestFacts, Signals } from './signals.ts'

/** Placeholder types until score lands in this same commit series. */
export interface Decision { readonly score: number; readonly model: number; readonly contributions: readonly (readonly [string, number])[] }
export type { RequestFacts, Signals }
