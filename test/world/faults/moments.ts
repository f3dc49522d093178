export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/** Asks every 20 ms until the answer is yes; a thrown error ends it. @throws {Error} after `ms`. */
export async function until(
  ask: () => boolean | Promise<boolean>,
  ms: number,
  what = 'it did not happen',
): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20))
    if (await ask()) return
  throw new Error(`${what} within ${ms} ms`)
}
