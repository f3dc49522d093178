/** Numbers of which only the middle leaves the browser. */
export interface Sample {
  add(value: number): void
  /** @param quantile 0 to 1. @returns undefined when there is none. */
  at(quantile: number): number | undefined
}

/** Keeps the first so many; a visit is judged by how it was, not by how long. */
export function sample(most = 64): Sample {
  const values: number[] = []
  return {
    add(value) {
      if (values.length < most) values.push(value)
    },
    at: (quantile) =>
      [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(quantile * values.length))],
  }
}

/** To the next multiple of a step, from 0 to `most`: what leaves the browser is no finer than this. */
export const rounded = (value: number, step: number, most: number): number =>
  Math.min(most, Math.max(0, Math.round(value / step) * step || 0))
