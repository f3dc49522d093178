import { resolve } from 'node:path'

export default {
  // The package is linked from two folders above, where a bundler does not look by itself. A customer needs neither line.
  turbopack: { root: resolve(import.meta.dirname, '../..') },
  outputFileTracingRoot: resolve(import.meta.dirname, '../..'),
}
