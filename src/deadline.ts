/**
 * The result, if it comes in time. What comes later is dropped, a failure too.
 *
 * One promise and one timer: `Promise.race` with its own clean-up makes five promises, 4 µs of every request.
 *
 * @param ms milliseconds, from now.
 * @param tooLate makes the error of what did not come.
 */
export function before<T>(ms: number, work: Promise<T>, tooLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // When this process was too busy to look, the timer fires before answers are read that came in time; they get a turn.
    const timer = setTimeout(() => setImmediate(() => reject(tooLate())), Math.max(0, ms))
    work.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
