/**
 * The work of a challenge by a kernel, on a graphics card or on this processor: `npm run kernel -- --help`. Every output is compared with
 * the service's own, and the solution with its check, before a figure is printed.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unitCost } from '../attackers/work.mjs'
import { dist, inWords, machine, ROOT } from '../stand/machine.mjs'
import { ensurePrograms, needProgram } from '../../test/support/programs.mjs'

const { hitThreshold, indexBound, prepare, SAMPLES, tagOf, unit } = await dist('work/s32.js')
const { powAt } = await dist('work/pow.js')
const { checkSolution, parseSolution, powKey } = await dist('work/solution.js')
const { spellSolution } = await dist('work/spell-solution.js')

const USAGE = `npm run kernel -- [--cpu | --pocl] [--seconds N]

Compiles the unit of work for the graphics card that OpenCL finds, solves a challenge of the default level with it, checks the answers as the
service does, and prints how many browser cores it stands for. Needs a C compiler, OpenCL's headers and the card's own driver; the first
two are installed as root on Debian and Ubuntu.

  --cpu         the same source as plain C on one core; needs the compiler alone
  --pocl        the same programs as for a card, on all cores of this processor, by POCL, which is installed in the same way
  --seconds N   how long each kernel is measured; default 10`

const at = (file) => join(import.meta.dirname, file)
/** The default level of a site. */
const LEVEL = 3

/** Compiles a program of this folder into build/. @returns its path */
function compiled(name, libraries = []) {
  const target = join(ROOT, 'build', name)
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  const args = ['-O3', '-march=native', '-o', target, at(`${name}.c`), ...libraries]
  const { status, stderr, error } = spawnSync('cc', args, { encoding: 'utf8' })
  if (status !== 0) throw new TypeError(`cc ${name}.c: ${error?.message ?? stderr.trim()}`)
  return target
}

/** Where OpenCL finds the driver of a card; of POCL it is named, so that no card is taken for it. */
const environmentOf = (isPocl) =>
  isPocl ? { ...process.env, OCL_ICD_VENDORS: needProgram('pocl') } : process.env

/**
 * Computes the first units of a key by a program: on a card, on this processor by POCL, or as plain C.
 *
 * @returns the outputs, and what the program said
 */
export function outputsBy({ isCpu = false, isPocl = false, seconds = 0 }, key, count, steps) {
  const hex = Buffer.from(key.buffer).toString('hex')
  const program = isCpu ? compiled('s32-cpu') : compiled('s32-card', ['-lOpenCL'])
  const common = [hex, '0', String(count), String(steps)]
  const args = isCpu ? common : [at('s32.cl'), ...common, String(seconds)]
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: environmentOf(isPocl),
  })
  if (status !== 0) throw new TypeError(stderr.trim())
  return { outputs: stdout.trim().split('\n').map(Number), said: stderr.trim() }
}

/** Spells the solution that some outputs are. */
export function solutionOf(outputs, { n }) {
  const threshold = hitThreshold(n)
  const samples = outputs.flatMap((output, index) =>
    output <= threshold ? [{ index, tag: tagOf(output) }] : [],
  )
  return spellSolution(n, samples.slice(0, Math.min(n, SAMPLES)))
}

/** Whether the service takes a solution, whichever two of its samples it picks. */
export function isTaken(key, pow, solution) {
  const samples = parseSolution(solution, pow.n)
  if (samples?.length !== Math.min(pow.n, SAMPLES)) return false
  return samples.every((_, i) => checkSolution(key, pow, samples, [i, (i + 1) % samples.length]))
}

/** What is compiled and run; a card's own driver is its owner's. */
const needs = ({ cpu, pocl }) => ['cc', ...(cpu ? [] : ['opencl']), ...(pocl ? ['pocl'] : [])]

function main() {
  const { values } = parseArgs({
    options: {
      cpu: { type: 'boolean', default: false },
      pocl: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const pow = powAt(LEVEL, 's32.1', 20_000)
  const key = powKey(randomBytes(64).toString('base64url'))
  if (values.cpu && values.pocl) throw new TypeError('--cpu and --pocl: give one of the two')
  ensurePrograms(needs(values))
  const how = { isCpu: values.cpu, isPocl: values.pocl, seconds: Number(values.seconds) }
  const { outputs, said } = outputsBy(how, key, indexBound(pow.n), pow.s)
  prepare(key, pow.s)
  const wrong = outputs.slice(0, 64).filter((output, i) => output !== unit(key, i, pow.s))
  if (wrong.length > 0 || !isTaken(key, pow, solutionOf(outputs, pow)))
    throw new TypeError('the kernel computes something else than the service')
  const core = unitCost()
  const each = [...said.matchAll(/([\d.]+) us a unit/g)].map(([, micros]) => Number(micros))
  const cores = each.map((micros) => (core / micros).toFixed(1))
  console.log(`${inWords('npm run kernel', machine())}
${said}
A solution of ${pow.n.toLocaleString('en')} units was checked at all of its ${SAMPLES} samples: right.
One core of this machine takes ${core.toFixed(1)} us a unit in Node.js, so this is worth ${cores.join(' or ')} of it.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    main()
  } catch (error) {
    console.error(error instanceof TypeError ? error.message : error)
    process.exitCode = 2
  }
