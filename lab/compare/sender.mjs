/** Works for tokens as fast as it can and prints the fields of each form: `node sender.mjs ADAPTER ORDER`. */
import { pathToFileURL } from 'node:url'
import { askOf, fieldsBy } from './start.mjs'

const { default: peer } = await import(pathToFileURL(process.argv[2]).href)
const { seconds, lanes, address, ...server } = JSON.parse(process.argv[3])
const end = performance.now() + seconds * 1000
const at = { ...server, ask: askOf(server), address: () => address }

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function lane() {
  while (performance.now() < end) {
    try {
      const fields = await fieldsBy(peer, at)
      console.log(JSON.stringify(fields))
    } catch ({ retryAfter = 0 }) {
      // Refused: it waits as it is told, and at least a little.
      await pause(Math.max(200, retryAfter * 1000))
    }
  }
}
await Promise.race([Promise.all(Array.from({ length: lanes }, lane)), pause(seconds * 1000 + 500)])
process.exit(0)
