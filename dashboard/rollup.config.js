import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { transform } from '@swc/core'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const read = (path) => readFileSync(here(path), 'utf8')

const typescript = {
  name: 'typescript',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null
    const jsc = { target: 'es2022', parser: { syntax: 'typescript' } }
    return transform(code, { filename: id, jsc, module: { type: 'es6' }, sourceMaps: true })
  },
}

/** The page and its style, beside the script. */
const files = {
  name: 'files',
  buildStart() {
    this.emitFile({ type: 'asset', fileName: 'index.html', source: read('index.html') })
    this.emitFile({ type: 'asset', fileName: 'dashboard.css', source: read('dashboard.css') })
  },
}

export default {
  input: here('src/main.ts'),
  output: { file: here('../dist/dashboard/dashboard.js'), format: 'es' },
  plugins: [typescript, files, terser({ ecma: 2020, module: true })],
}
