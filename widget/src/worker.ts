import { type Chunk, type DoChunk, hitsOfPb, hitsOfS32, type SetUp } from './units.ts'

/** All of this file as one self-contained function, whose text runs in a worker. widget/build-script.js makes it. It returns `doChunk`. */
export declare const workerCode: (
  globals: Pick<typeof globalThis, 'Promise' | 'Array' | 'Object'>,
) => DoChunk

export const doChunk: DoChunk = (setUp, ...args) =>
  (setUp.isPb ? hitsOfPb : hitsOfS32)(setUp, ...args)

/** Answers each message, in order. */
function answerMessages(): void {
  const answer = self.postMessage.bind(self) as (hits: Awaited<ReturnType<DoChunk>>) => void
  let setUp: SetUp
  let last: Promise<unknown> = Promise.resolve()
  self.addEventListener('message', ({ data }: MessageEvent<SetUp | Chunk>) => {
    if ('key' in data) setUp = data
    last = last.then(async () => answer('key' in data ? undefined : await doChunk(setUp, data)))
    // An `error` event of the worker.
    last.catch((error: unknown) =>
      setTimeout(() => {
        throw error
      }),
    )
  })
}
if (typeof document === 'undefined') answerMessages()
