#!/usr/bin/env node
import { readFileSync } from 'node:fs'

/**
 * The `hv` command: looks at the version of Node.js, then loads everything else.
 *
 * An older Node.js fails while it links the modules, with an error about an export; so nothing is imported before this.
 */
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string }
}
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const fits = engines.node.split('||').some((range) => {
  const [, sign, wantedMajor, wantedMinor] = /^\s*(\^|>=)(\d+)\.(\d+)\s*$/.exec(range)!
  if (major === Number(wantedMajor)) return minor >= Number(wantedMinor)
  return sign === '>=' && major > Number(wantedMajor)
})

if (fits) await (await import('./cli/run.ts')).main()
else {
  process.stderr.write(
    `not started: human-verification needs Node.js ${engines.node}; this is ${process.versions.node}. Install Node.js 24: https://nodejs.org\n`,
  )
  process.exitCode = 1
}
