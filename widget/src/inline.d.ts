/**
 * src/worker.ts as one function that is complete in itself, so that its text runs in a worker; by widget/rollup.config.js. It begins
 * to answer messages where it runs in a worker, and returns its `DoChunk` of src/worker-messages.ts.
 */
declare module 'inline:worker' {
  export { default } from 'inline:any-worker'
}

/** The same of src/pb-worker.ts. */
declare module 'inline:pb-worker' {
  export { default } from 'inline:any-worker'
}

/** The same of src/any-worker.ts. */
declare module 'inline:any-worker' {
  export default function workerCode(
    globals: Pick<typeof globalThis, 'Promise' | 'Array' | 'Object'>,
  ): (
    setUp: object,
    chunk: { readonly from: number; readonly to: number },
    pause?: () => Promise<unknown> | undefined,
  ) => Promise<number[] | undefined>
}

/** The words of the language that the file is built for; none of them in English. */
declare module 'inline:texts' {
  const texts: Readonly<Record<string, string>>
  export default texts
}

/** `sha256-…` of `captcha-visit-en.js` and `captcha-rare.js`, by the part of the name that follows `captcha`. */
declare module 'inline:integrity' {
  const integrity: Readonly<Record<string, string>>
  export default integrity
}
