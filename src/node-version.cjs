// Looks at the version of Node.js, before the program and before its build: an older one fails while it links the modules, and
// the tools of the build die, with errors that do not name it.
const { engines } = require('../package.json')

const [major, minor] = process.versions.node.split('.').map(Number)
const fits = engines.node.split('||').some((range) => {
  const [, sign, wantedMajor, wantedMinor] = /^\s*(\^|>=)(\d+)\.(\d+)\s*$/.exec(range)
  if (major === Number(wantedMajor)) return minor >= Number(wantedMinor)
  return sign === '>=' && major > Number(wantedMajor)
})
if (!fits) {
  const not = require.main === module ? 'built' : 'started'
  process.stderr.write(
    `not ${not}: human-verification needs Node.js ${engines.node}; this is ${process.versions.node}. Install Node.js 24: https://nodejs.org\n`,
  )
  process.exit(1)
}
