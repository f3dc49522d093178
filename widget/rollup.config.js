import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { transform } from '@swc/core'
import { rollup } from 'rollup'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
/**
 * The script holds src/domain/s32.ts and src/units.ts twice: for itself, and as the text of its worker. What is spelled alike is
 * compressed to almost nothing, so these names stay, and the others are made in one order in every script.
 */
const SHARED =
  'table base state mixed imul quarterRound permute seed prepare fill unit walk hitsOf pbOutputs prepared subtle now'.split(
    ' ',
  )
const names = {
  get(n) {
    const letters = 'etnroaisclduphmfgywbvkxjzqETNROAISCLDUPHMFGYWBVKXJZQ$_'
    const more = Math.floor(n / letters.length)
    return (more ? letters[more - 1] : '') + letters[n % letters.length]
  },
}

const minify = terser({
  ecma: 2020,
  compress: {
    passes: 3,
    pure_getters: true,
    unsafe_arrows: true,
    unsafe_methods: true,
    keep_fargs: false,
    hoist_funs: true,
  },
  mangle: { reserved: SHARED, nth_identifier: names },
  format: { comments: /webpackIgnore|@vite-ignore/ },
})

/**
 * Taken when the script loads, as in src/captured.ts: a page may replace what stands on `window` later. The second script
 * is a worker, too, where there is no `window`.
 */
const CAPTURED = 'const{Promise,Map,Set,AbortController,URLSearchParams,Worker,Object,Array,JSON}=self;'

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
async function script(name, format, plugins = []) {
  const bundle = await rollup({ input: here(`src/${name}.ts`), plugins: [typescript, ...plugins, minify] })
  const { output } = await bundle.generate({ format, intro: format === 'es' ? CAPTURED : '' })
  return output[0].code.trim()
}

/** A module `inline:NAME` whose default export is made here. */
const inline = (name, make) => ({
  name: `inline-${name}`,
  resolveId: (id) => (id === `inline:${name}` ? `\0${id}` : null),
  load: async (id) => (id === `\0inline:${name}` ? `export default ${JSON.stringify(await make())}` : null),
})

/** The worker as text, so that a page of any origin can start it from a blob, with no further request. */
const inlineWorker = inline('worker', () => script('worker', 'iife'))

/** Stands in the minified second script where the words of the language go. */
const WORDS = 'words of the language'

/** By language: the second script. The code is the same in each. */
async function visitScripts() {
  const code = await script('visit', 'es', [inline('texts', () => WORDS)])
  const [before, after] = code.split(JSON.stringify(WORDS))
  if (after === undefined) throw new Error('widget/src/visit.ts has no place for the words')
  return new Map([['en', '{}'], ...words].map(([language, texts]) => [language, before + texts + after]))
}

/** By language: the words as JSON. English is built in. */
const words = new Map()
for (const file of readdirSync(here('src/texts')))
  words.set(file.replace('.json', ''), JSON.stringify(JSON.parse(readFileSync(here(`src/texts/${file}`), 'utf8'))))
const visits = await visitScripts()
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** For pages that name the hash of captcha.js: it names that of its second half. */
const inlineIntegrity = inline('integrity', () => hash(visits.get('en')))

/** The second script in every language, the words alone, and the page that other pages frame: one request each. */
const files = {
  name: 'files',
  async buildStart() {
    for (const [language, source] of words)
      this.emitFile({ type: 'asset', fileName: `captcha-text-${language}.json`, source })
    for (const [language, source] of visits)
      this.emitFile({ type: 'asset', fileName: `captcha-visit-${language}.js`, source })
    const source = `<!doctype html><meta charset="utf-8"><title>svc-captcha</title><script>${await script('frame', 'iife', [inlineWorker])}</script>`
    this.emitFile({ type: 'asset', fileName: 'captcha-frame.html', source })
  },
}

/** The types of the API, for pages that are built with TypeScript. */
const types = {
  name: 'types',
  writeBundle: () => copyFileSync(here('captcha.d.ts'), here('../dist/captcha.d.ts')),
}

export default {
  input: here('src/captcha.ts'),
  output: { file: here('../dist/assets/captcha.js'), format: 'iife', generatedCode: 'es2015', intro: CAPTURED },
  plugins: [typescript, inlineWorker, inlineIntegrity, files, types, minify],
}
