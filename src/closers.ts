/** Closes one thing that was opened. */
export type Closer = () => void | Promise<void>

/**
 * Runs a function that opens things, and closes them again if it fails.
 *
 * @param open adds a closer for each thing that it opens.
 * @returns what it returns, and a function that closes in reverse. One that fails does not keep the others open.
 */
export async function withClosers<T>(open: (closers: Closer[]) => Promise<T>) {
  const closers: Closer[] = []
  /** @throws the first failure, at the end. */
  async function close(): Promise<void> {
    const failures: unknown[] = []
    for (const each of closers.splice(0).toReversed()) {
      try {
        await each()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  try {
    return { ...(await open(closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}
