export type Sample = ReturnType<typeof sample>

/** Collects the first numbers of a kind, for their quantiles. */
export function sample(most = 64) {
  const values: number[] = []
  return {
    add(value: number): void {
      if (values.length < most) values.push(value)
    },
    /** Returns the value at a quantile, 0 to 1; undefined if there is none. */
    at: (quantile: number): number | undefined =>
      [...values].sort((a, b) => a - b)[
        Math.min(values.length - 1, Math.floor(quantile * values.length))
      ],
  }
}

/** Rounds to a multiple of `step`, from 0 to `most`. */
export const rounded = (value: number, step: number, most: number): number =>
  Math.min(most, Math.max(0, Math.round(value / step) * step || 0))
