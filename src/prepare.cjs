// npm runs this for `npm install git+https://…` and before `npm pack`, so that the package has its `dist/`; after `npm ci` in a
// clone; and at the first `npx hv` there, silently. An installation without the tools (`npm ci --omit=dev`) is left as it is.
const { execSync } = require('node:child_process')
const { existsSync, readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')
const tools = ['typescript', 'rollup'].every((name) => existsSync(join(root, 'node_modules', name)))
const timeOf = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)
/** When the last source was changed. */
const changedAt = ['src', 'widget', 'dashboard', 'packages'].reduce(
  (newest, folder) => {
    const files = readdirSync(join(root, folder), { recursive: true }).filter(
      (file) => !/node_modules|\bdist\b/.test(file),
    )
    return files.reduce((last, file) => Math.max(last, timeOf(join(root, folder, file))), newest)
  },
  timeOf(join(root, 'package.json')),
)
// The dashboard is built last: what stopped in between is built again.
const isBuilt = timeOf(join(root, 'dist/dashboard/index.html')) > changedAt
if (isBuilt) process.exitCode = 0
else if (tools) execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] })
else
  process.stderr.write(
    'not built: the development tools are not installed (npm ci, then npm run build)\n',
  )
