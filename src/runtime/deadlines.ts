/**
 * Settles as `work` does, or rejects when `work` has not settled in time. A later result or failure is dropped.
 *
 * @param ms milliseconds from now.
 * @param tooLate makes the error of the rejection.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, tooLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // A busy process may ring before it reads answers that came in time; they get one more turn.
    const timer = setTimeout(() => setImmediate(() => reject(tooLate())), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
