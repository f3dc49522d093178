/**
 * Prints what the rise of the work costs a script and people, as the tables of docs/design/proof-of-work.md.
 *
 *     npm run build && node lab/attackers/print-rise.mjs
 */
import { crowd, DEVICES, evenly, flatOut, SCHOOL_BELL, SCRIPTS } from './rise.mjs'

const dist = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href)
const modules = [
  'work/difficulty.js',
  'domain/challenge.js',
  'store/counters.js',
  'store/history.js',
  'store/limits.js',
]
const parts = Object.assign({}, ...(await Promise.all(modules.map(dist))))
const work = { level: 3, maxLevel: 8, humanCost: 2, fallback: true }

const [ADDRESS, BLOCK, PREFIX] = [
  { family: 4, addresses: 1 },
  { family: 4, addresses: 254 },
  { family: 6, addresses: 4096 },
]
const SOURCES = { 'one address': ADDRESS, 'one /24': BLOCK, 'one /48': PREFIX }
/** Two whole cores, and what is left of them on a busy machine. */
const CORES = [1.9, 0.95]
/** Seconds since a bucket began: the cheapest of three is shown. */
const PHASES = [0, 300, 500]

const hour = (count) => evenly(count * 2, 0, 7200)
const PEOPLE = {
  'an office of 20, in a minute': [ADDRESS, evenly(20, 0, 60), 'school'],
  'a class of 30, in a minute': [ADDRESS, evenly(30, 0, 60), 'school'],
  'an office of 60, in ten minutes': [ADDRESS, evenly(60, 0, 600), 'school'],
  'a school of 120, 40 in the first minute': [ADDRESS, SCHOOL_BELL, 'school'],
  'a carrier’s address, 300 an hour': [ADDRESS, hour(300), 'carrier', 3600],
  'a carrier’s address, 500 an hour': [ADDRESS, hour(500), 'carrier', 3600],
  'a campus /24, 500 in ten minutes': [BLOCK, evenly(500, 0, 600), 'school'],
  'a carrier’s /24, 3,000 an hour': [BLOCK, hour(3000), 'carrier', 3600],
}

const number = (n, digits = 0) => n.toLocaleString('en', { maximumFractionDigits: digits })
const row = (cells) => console.log(`| ${cells.join(' | ')} |`)

row(['Source', 'Script', 'Two cores: accepted; CPU s / 1,000', 'Half of them'])
row(['---', '---', '---', '---'])
for (const [name, source] of Object.entries(SOURCES))
  for (const [how, script] of Object.entries(SCRIPTS)) {
    const cells = []
    for (const cores of CORES) {
      const runs = await Promise.all(PHASES.map((phase) => flatOut(parts, { work, source, script, cores, phase })))
      const least = runs.sort((a, b) => a.cpuSecondsForThousand - b.cpuSecondsForThousand)[0]
      cells.push(`${least.accepted}; ${number(least.cpuSecondsForThousand)}`)
    }
    row([name, how, ...cells])
  }
console.log()
row(['People', 'Half wait, s', 'The last one, s', 'Over 5 s'])
row(['---', '---', '---', '---'])
for (const [who, [source, arrivals, devices, from]] of Object.entries(PEOPLE)) {
  const seen = await crowd(parts, { work, source, arrivals, device: DEVICES[devices], from })
  row([who, number(seen.medianWait, 1), number(seen.longestWait, 1), `${number(seen.overFiveSeconds * 100)} %`])
}
