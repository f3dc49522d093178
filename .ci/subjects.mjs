/** `node .ci/subjects.mjs RANGE`: exits with 1 when the subject of a commit in RANGE is longer than 72 characters. */
import { execFileSync } from 'node:child_process'

const MOST = 72
const range = process.argv[2]
if (range === undefined || range.startsWith('-')) {
  console.error('usage: node .ci/subjects.mjs RANGE, for example main..HEAD')
  process.exit(2)
}
const lines = execFileSync('git', ['log', '--no-merges', '--format=%h %s', range], {
  encoding: 'utf8',
})
const long = lines.split('\n').filter((line) => line.slice(line.indexOf(' ') + 1).length > MOST)
for (const line of long) console.error(`longer than ${MOST} characters: ${line}`)
process.exitCode = long.length > 0 ? 1 : 0
