import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { transform } from '@swc/core'
import { rollup } from 'rollup'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const minify = terser({
  ecma: 2020,
  compress: { passes: 3, pure_getters: true },
  mangle: true,
  format: { comments: false },
})

/** Takes the types off, and the white space out of the style sheet. */
const typescript = {
  name: 'typescript',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null
    const source = id.endsWith('styles.ts') ? code.replace(/(?<=const css = )`[^`]*`/, tight) : code
    const jsc = { target: 'es2020', parser: { syntax: 'typescript' } }
    const done = await transform(source, { filename: id, jsc, module: { type: 'es6' }, sourceMaps: true })
    return { code: done.code, map: done.map }
  },
}

const tight = (css) =>
  css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/` | `/g, '`')

/** `inline:worker`: the worker as text, so that a page of any origin can start it from a blob, with no further request. */
const inlineWorker = {
  name: 'inline-worker',
  resolveId: (id) => (id === 'inline:worker' ? `\0${id}` : null),
  async load(id) {
    if (id !== '\0inline:worker') return null
    const bundle = await rollup({ input: here('src/worker.ts'), plugins: [typescript, minify] })
    const { output } = await bundle.generate({ format: 'iife' })
    const source = output[0].code.trim()
    this.emitFile({ type: 'asset', fileName: 'captcha-worker.js', source })
    return `export default ${JSON.stringify(source)}`
  },
}

/** Every language but English is a file of its own, loaded when it is wanted. */
const languages = {
  name: 'languages',
  buildStart() {
    for (const file of readdirSync(here('src/texts'))) {
      const source = JSON.stringify(JSON.parse(readFileSync(here(`src/texts/${file}`), 'utf8')))
      this.emitFile({ type: 'asset', fileName: `captcha-text-${file}`, source })
    }
  },
}

export default {
  input: here('src/captcha.ts'),
  output: { file: here('../dist/assets/captcha.js'), format: 'iife', generatedCode: 'es2015' },
  plugins: [typescript, inlineWorker, languages, minify],
}
