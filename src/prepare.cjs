// npm runs this for `npm install git+https://…` and before `npm pack`, so that the package has its `dist/`; and after
// `npm ci` in a clone. An installation without the tools (`npm ci --omit=dev`) is left as it is.
const { execSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')
const tools = ['typescript', 'rollup'].every((name) => existsSync(join(root, 'node_modules', name)))
if (tools) execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] })
else process.stderr.write('not built: the development tools are not installed (npm ci, then npm run build)\n')
