/**
 * `npm start`: builds what has changed, and runs the demonstration. `npm run dev` (`--watch`) also compiles what
 * changes in src, and starts it again. Every program that it starts ends with it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isBuilt } from './is-built.mjs'

const args = process.argv.slice(2)
const hasGroups = process.platform !== 'win32'
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
let isEnding = false

/**
 * Runs Node.js until it ends, in a process group of its own: tsc and npm start further programs,
 * which end with it.
 *
 * @param {readonly string[]} words
 * @returns {Promise<void>}
 */
async function run(words) {
  if (isEnding) return
  const child = spawn(process.execPath, words, { stdio: 'inherit', detached: hasGroups })
  running.add(child)
  const [code] = await once(child, 'exit')
  running.delete(child)
  // The first one that ends, by itself or with an error, ends all.
  if (code !== 0) end(code ?? 143)
}

/** @param {number} code */
function end(code) {
  if (isEnding) return
  isEnding = true
  process.exitCode = code
  for (const child of running) {
    if (hasGroups) process.kill(-Number(child.pid), 'SIGTERM')
    else child.kill()
  }
}

// A terminal that closes sends SIGHUP to its own processes, and not to those in other groups.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => end(0))

// npm sends its signals to the shell between (dash, cmd), which ends without forwarding them.
const shell = process.ppid
setInterval(() => {
  if (process.ppid !== shell) end(0)
}, 100).unref()

if (process.env['HV_BUILD'] !== 'no' && !isBuilt('.'))
  await run([String(process.env['npm_execpath']), 'run', '--silent', 'build'])
if (args[0] === '--watch') {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'src', '--watch', '--preserveWatchOutput']
  const demo = ['--watch', '--watch-preserve-output', 'dist/main.js', 'demo', ...args.slice(1)]
  await Promise.race([tsc, demo].map(run))
  end(0)
} else await run(['dist/main.js', 'demo', ...args])
