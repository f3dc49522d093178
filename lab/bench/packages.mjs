/**
 * What does a visit pay for a package that does its job? The commit that gave the package its job is built beside its parent, and
 * both are asked for the same visits in turns, on Redis.
 *
 *     npm run bench -- packages [--quick] [--node24]
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../stand/machine.mjs'
import { startRedis } from '../stand/redis.mjs'
import { markdownTable, median } from '../stand/tables.mjs'
import { POLICY } from './harness/our-visit.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { costTo, ofEach, rounds, sets, spread, spreadText } from './harness/rounds.mjs'
import { OTHER } from './harness/servers.mjs'
import { startedAgain } from './harness/started-again.mjs'
import { visits } from './harness/visits.mjs'

/** The commits that gave each its job. */
const COMMITS = {
  jose: '5396fadf',
  winston: '0c9b1c30',
  express: '847b9df5',
  'rate-limiter-flexible': '74f73a45',
}
const [WARM, SLICES, VISITS] = QUICK ? [2, 2, 128] : [6, 3, 512]

/** Builds a commit in a folder of its own, with the packages of this one, and returns the folder. */
function built(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const folder = join(ROOT, 'build/bench', git('rev-parse', commit))
  if (existsSync(join(folder, 'dist/main.js'))) return folder
  git('worktree', 'add', '--force', '--detach', folder, commit)
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), join(folder, 'node_modules')])
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

const redis = await startRedis(OTHER)
const sides = Object.entries(COMMITS).flatMap(([name, commit]) => [
  { name: `before ${name}`, root: built(`${commit}^`) },
  { name: `with ${name}`, root: built(commit) },
])
// Each has a database of its own: what a build keeps there is not for another.
const clients = sides.map((_, db) => redis.client.duplicate({ db }))
const starts = sides.map(({ name, root }, database) => {
  const own = { url: new URL(`/${database}`, redis.url).href, client: clients[database] }
  const start = startedAgain(own, POLICY, root)
  return async () => ({ ...(await start()), name, isDone: ({ success }) => success })
})

const results = await sets(starts, async (contenders) => {
  await rounds(WARM, contenders, (each) => visits(each, VISITS))
  return rounds(SLICES, contenders, (each) => visits(each, VISITS))
}).finally(() => {
  for (const client of clients) client.disconnect()
  return redis.stop()
})

const microsOf = ({ micros }) => micros
const priceOf = (name) =>
  spread(
    results.map((set) => {
      const [before, after] = [`before ${name}`, `with ${name}`].map((side) => set.get(side))
      return median(after.map((slice, i) => microsOf(slice) - microsOf(before[i])))
    }),
  )
const prices = Object.keys(COMMITS).map((name) => ({
  name,
  before: ofEach(results, `before ${name}`, microsOf),
  after: ofEach(results, `with ${name}`, microsOf),
  price: priceOf(name),
  ratio: costTo(results, `with ${name}`, `before ${name}`),
}))
writeResult('packages', {
  title: 'What a visit pays for the packages',
  text: `Each commit beside its parent, in turns; ${(WARM * VISITS).toLocaleString('en')} visits of each process do not count, then ${SLICES} slices of ${VISITS}, on Redis.
Medians of the processes, and their range. Processor time of the service from the kernel.

${markdownTable(
  ['', 'commit', 'before, µs/visit', 'with it, µs/visit', 'price, µs', 'ratio'],
  prices.map(({ name, before, after, price, ratio }) => [
    name,
    COMMITS[name],
    spreadText(before),
    spreadText(after),
    spreadText(price),
    spreadText(ratio, 2),
  ]),
)}`,
  figures: Object.fromEntries(prices.map(({ name, price, ratio }) => [name, { price, ratio }])),
})
