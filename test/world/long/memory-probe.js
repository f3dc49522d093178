/** Loaded into a service before its own program: at SIGUSR2 it collects garbage and writes down what is left. */
import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

process.on('SIGUSR2', () => {
  collect()
  collect()
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  writeFileSync(
    process.env['HV_TEST_MEMORY'],
    JSON.stringify({ rss, outside: rss - heapTotal, used: heapUsed + external }),
  )
})
