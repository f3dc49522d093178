import { parseArgs } from 'node:util'

export const USAGE = `npm run attack -- [options]

Attacks a service of its own on loopback and writes the price of a token: to standard output, to
lab/results/price-list.json and to docs/design/price-list.md. Needs Chromium; Redis only with --redis.

  --short       some hundred visits each, in place of ten minutes: about 20 minutes in all
  --quick       the short form of the attackers that tell most in little time, for CI: about three minutes
  --only NAME   attackers whose name contains NAME; may be repeated. Others keep their figures of the last run
  --check       writes nothing; fails if the work of a visit or the share that is refused fell against the written list
  --redis       counts and ledger in a Redis of its own, in place of the embedded ones
  --list        names the attackers`

/**
 * Reads the options of `npm run attack`.
 *
 * @param {string[]} args
 * @throws {TypeError} one sentence
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      short: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      check: { type: 'boolean', default: false },
      redis: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return { ...values, short: values.short || values.quick }
}
