import { join } from 'node:path'
import { parseArgs } from 'node:util'

export const USAGE = `npm run evaluate -- [--runs N] [--quick] [--add] [--only NAME]… [--lanes N] [--traces DIR] [--json]

Drives the development set of visitors against the built service and prints what they score. Writes docs/evaluation.md and
build/evaluation.json when the whole set was run. Exit code 1: a person below the threshold, or a separable bot let in.

  --runs N      visits of each visitor, 1 to 50; default 5
  --quick       one run, and docs/evaluation.md stays as it is
  --add         adds to the runs of build/evaluation.json, with other people of the recordings: for a machine that is
                seldom idle for long
  --only NAME   visitors whose name contains NAME; may be repeated
  --lanes N     displays at once, 1 to 4; default 2
  --traces DIR  recordings of people's hands; default ../shared/traces
  --json        the result as JSON on standard output, the table on standard error`

/**
 * @param {string[]} args
 * @param {string} root of the repository
 * @throws {TypeError} one sentence
 */
export function readOptions(args, root) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      add: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      lanes: { type: 'string', default: '2' },
      traces: { type: 'string', default: join(root, '../shared/traces') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return {
    ...values,
    runs: whole('--runs', values.runs ?? (values.quick ? '1' : '5'), 50),
    lanes: whole('--lanes', values.lanes, 4),
  }
}

function whole(name, text, most) {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1 || n > most)
    throw new TypeError(`${name} wants a whole number from 1 to ${most}; got ${text}`)
  return n
}
