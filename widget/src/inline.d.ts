/**
 * src/worker.ts as one function that is complete in itself, so that its text runs in a worker; made by widget/rollup.config.js.
 * It answers messages where it runs in a worker, and returns its `DoChunk` of src/worker-messages.ts.
 */
declare module 'inline:worker' {
  export default function workerCode(
    globals: Pick<typeof globalThis, 'Promise' | 'Array' | 'Object'>,
  ): (
    setUp: object,
    chunk: { readonly from: number; readonly to: number },
    pause?: () => Promise<unknown> | undefined,
  ) => Promise<number[] | undefined>
}
