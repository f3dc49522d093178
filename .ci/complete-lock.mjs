/**
 * Adds to package-lock.json the optional packages of other platforms (`@rollup/rollup-darwin-arm64` and the like) that a
 * registry mirror without them makes `npm install` leave out. Without their entries `npm ci` calls the lockfile out of
 * sync. An entry says version, system and processor, so that `npm ci` knows where to skip it.
 *
 * After every `npm install`: npm run lock [-- FOLDER]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(process.argv[2] ?? '.', 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32']

const added = []
for (const { dev, optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    if (lock.packages[path] || !/^\d/.test(version)) continue
    const words = name.split('/').pop().split(/[-.]/)
    const os = SYSTEMS.filter((system) => words.includes(system))
    const cpu = PROCESSORS.filter((processor) => words.some((word) => word === processor))
    if (os.length === 0 || cpu.length === 0)
      throw new Error(`${name}: no system or processor in its name`)
    const libc = libraryOf(words, os)
    lock.packages[path] = {
      version,
      cpu,
      ...(dev && { dev }),
      ...(libc && { libc }),
      optional: true,
      os,
    }
    added.push(name)
  }
}

/** Returns the C library that a package is built for; undefined where its name does not say. */
function libraryOf(words, [system]) {
  if (words.some((word) => word.startsWith('musl'))) return ['musl']
  const isGnu = words.some((word) => word.startsWith('gnu')) && system === 'linux'
  return isGnu ? ['glibc'] : undefined
}

const [root, ...rest] = Object.entries(lock.packages)
lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))])
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
console.log(`${added.length} packages of other platforms added`)
