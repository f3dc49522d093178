/** Limits of a listener; times in milliseconds. docs/design/threats.md#t17 */
export const LISTENER = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  /** Without a byte in either direction while an answer is pending. */
  stalledTimeout: 30_000,
  keepAlive: 130_000,
  limits: {
    most: 10_000,
    perAddress: 256,
    trusts: () => false,
    crowded: () => {},
  },
  /** Until a connection with pipelined requests is closed. */
  pipelined: 10_000,
  /** Header lines of a request. */
  headers: 200,
  /** Bytes of all of them, with the first line. */
  headerBytes: 16_384,
} as const

/** Grace period for a refused client to read the response, in milliseconds. */
export const LINGER_MS = 1000
