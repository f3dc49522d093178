import { parseArgs } from 'node:util'

export const USAGE = `npm run evaluate -- [--runs N] [--quick] [--only NAME]… [--people] [--lanes N]
                        [--seed TEXT] [--traces DIR] [--keep] [--second-tries]

Drives the development set of visitors against the built service and prints what they score. Writes build/evaluation.json, and when the
whole set was run docs/design/evaluation.md and the lists of lab/results that it is made of. Exit code 1: a person below the threshold, or a separable bot let in.

  --runs N      visits of each visitor, 1 to 50; default 5
  --quick       one run, and docs/design/evaluation.md stays as it is
  --only NAME   visitors whose name contains NAME; may be repeated
  --lanes N     displays at once, 1 to 4; default 2
  --people      people only, none of the bots
  --seed TEXT   other synthetic people for another seed; default 1
  --traces DIR  people's hands from recordings in this folder (docs/design/evaluation.md, "Recorded hands"); without it, the hands are
                synthetic (docs/design/risk.md)
  --keep        writes the lists and the page with these visitors in the place of their earlier rows, however few they are
  --second-tries
                drives the bots against a site with step_up: managed, where they press the button of the step; from five runs on
                writes lab/results/second-tries.json and its page`

/**
 * @param {string[]} args
 * @throws {TypeError} one sentence
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      lanes: { type: 'string', default: '2' },
      people: { type: 'boolean', default: false },
      seed: { type: 'string' },
      traces: { type: 'string' },
      keep: { type: 'boolean', default: false },
      'second-tries': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.seed !== undefined && values.traces !== undefined)
    throw new TypeError('--seed chooses synthetic people and --traces recorded ones: give one of the two')
  return {
    ...values,
    secondTries: values['second-tries'],
    seed: values.seed ?? '1',
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
