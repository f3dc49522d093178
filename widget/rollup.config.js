import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { transform } from '@swc/core'
import { rollup } from 'rollup'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const minify = terser({
  ecma: 2020,
  compress: { passes: 3, pure_getters: true, unsafe_arrows: true, unsafe_methods: true, keep_fargs: false },
  mangle: true,
  format: { comments: false },
})

/** Taken when the script loads, as in src/captured.ts: a page may replace what stands on `window` later. */
const CAPTURED = 'const{Promise,Map,Set,AbortController,URLSearchParams,Worker,Object,Array,JSON}=window;'

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

/** A script of its own from `src/`, minified. */
async function script(name, plugins = []) {
  const bundle = await rollup({ input: here(`src/${name}.ts`), plugins: [typescript, ...plugins, minify] })
  const { output } = await bundle.generate({ format: 'iife' })
  return output[0].code.trim()
}

/** `inline:worker`: the worker as text, so that a page of any origin can start it from a blob, with no further request. */
const inlineWorker = {
  name: 'inline-worker',
  resolveId: (id) => (id === 'inline:worker' ? `\0${id}` : null),
  load: async (id) => (id === '\0inline:worker' ? `export default ${JSON.stringify(await script('worker'))}` : null),
}

/** The worker as a file, for pages of the service's own origin, and the page that other pages frame: one request each. */
const files = {
  name: 'files',
  async buildStart() {
    this.emitFile({ type: 'asset', fileName: 'captcha-worker.js', source: await script('worker') })
    const source = `<!doctype html><meta charset="utf-8"><title>svc-captcha</title><script>${await script('frame', [inlineWorker])}</script>`
    this.emitFile({ type: 'asset', fileName: 'captcha-frame.html', source })
  },
}

/** The types of the API, for pages that are built with TypeScript. */
const types = {
  name: 'types',
  writeBundle: () => copyFileSync(here('captcha.d.ts'), here('../dist/captcha.d.ts')),
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
  output: { file: here('../dist/assets/captcha.js'), format: 'iife', generatedCode: 'es2015', intro: CAPTURED },
  plugins: [typescript, inlineWorker, files, languages, types, minify],
}
