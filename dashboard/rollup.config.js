import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { transform } from '@swc/core'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const read = (path) => readFileSync(here(path), 'utf8')
const uplot = '../node_modules/uplot'
/** The plotting library's licence travels with it. */
const licence = `/*! uPlot ${JSON.parse(read(`${uplot}/package.json`)).version}\n${read(`${uplot}/LICENSE`)}\n*/`

const typescript = {
  name: 'typescript',
  resolveId: (id) => (id === 'uplot' ? here(`${uplot}/dist/uPlot.esm.js`) : null),
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
    const style = `${licence}\n${read(`${uplot}/dist/uPlot.min.css`)}\n${read('dashboard.css')}`
    this.emitFile({ type: 'asset', fileName: 'dashboard.css', source: style })
  },
}

export default {
  input: here('src/main.ts'),
  output: { file: here('../dist/dashboard/dashboard.js'), format: 'es', banner: licence },
  plugins: [typescript, files, terser({ ecma: 2020, module: true, format: { comments: /^!/ } })],
}
