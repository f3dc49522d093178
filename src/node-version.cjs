// Runs before the build, whose tools die in an older Node.js with errors that do not name it. The twin of main.ts.
const { engines } = require('../package.json')
const [major, minor] = process.versions.node.split('.').map(Number)
const fits = engines.node.split('||').some((range) => {
  const [, sign, wantedMajor, wantedMinor] = /^\s*(\^|>=)(\d+)\.(\d+)\s*$/.exec(range)
  if (major === Number(wantedMajor)) return minor >= Number(wantedMinor)
  return sign === '>=' && major > Number(wantedMajor)
})
if (!fits) {
  process.stderr.write(
    `not built: human-verification needs Node.js ${engines.node}; this is ${process.versions.node}. Install Node.js 24: https://nodejs.org\n`,
  )
  process.exitCode = 1
}
