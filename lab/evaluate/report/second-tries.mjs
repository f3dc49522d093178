import { markdownTable, median, two } from '../../stand/tables.mjs'

const HEAD = ['Visitor', 'First score', 'Asked', 'Score of the token', 'Passed', '']

/** The table of lab/results/second-tries.md: what the step gave to the programs of the evaluation. */
export const secondTries = (programs) => markdownTable(HEAD, programs.map(cells))

const cells = ({ name, runs, firsts, stepped = 0, median: middle, least, most, ...row }) => [
  name,
  range(median(firsts), Math.min(...firsts), Math.max(...firsts)),
  `${stepped} of ${runs}`,
  range(middle, least, most),
  `${row.passed} of ${row.forms || runs}`,
  row.failure ?? '',
]

const range = (middle, least, most) =>
  middle === undefined || least === most
    ? two(middle)
    : `${two(middle)} (${two(least)}–${two(most)})`
