import { type Chunk, type DoChunk, hitsOfPb, hitsOfS32, type SetUp } from './units.ts'

/**
 * All of this file as one function that is complete in itself, so that its text runs in a worker; widget/build-script.js makes it. It
 * answers messages where it runs in a worker, and returns `doChunk`.
 */
export declare const workerCode: (globals: Pick<typeof globalThis, 'Promise' | 'Array' | 'Object'>) => DoChunk

/** Does a chunk of either algorithm, in a worker or on the main thread. */
export const doChunk: DoChunk = (setUp, ...args) => (setUp.isPb ? hitsOfPb : hitsOfS32)(setUp, ...args)

/** Answers each message, in the order in which they came. In a page nothing is: there the code is only on its way to a worker. */
function answerMessages(): void {
  const answer = self.postMessage.bind(self) as (hits: Awaited<ReturnType<DoChunk>>) => void
  let setUp: SetUp
  let last: Promise<unknown> = Promise.resolve()
  self.addEventListener('message', ({ data }: MessageEvent<SetUp | Chunk>) => {
    if ('key' in data) setUp = data
    last = last.then(async () => answer('key' in data ? undefined : await doChunk(setUp, data)))
    // Only what is thrown here reaches the page, as the end of this worker.
    last.catch((error: unknown) =>
      setTimeout(() => {
        throw error
      }),
    )
  })
}
if (typeof document === 'undefined') answerMessages()
