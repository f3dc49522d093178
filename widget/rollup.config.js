import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { minify as minifyAgain, transform } from '@swc/core'
import { rollup } from 'rollup'
import { MARKED, markOwnProperties } from './own-properties.js'
import { zopfli } from './zopfli.js'

/** By file: the text, with marks; and which of the marked names may meet in one object. */
const { texts: marked, mayMeet } = markOwnProperties()

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const names = {
  get(n) {
    const letters = 'etnroaisclduphmfgywbvkxjzqETNROAISCLDUPHMFGYWBVKXJZQ$_'
    const more = Math.floor(n / letters.length)
    return (more ? letters[more - 1] : '') + letters[n % letters.length]
  },
}

const shorten = terser({
  ecma: 2020,
  compress: {
    passes: 5,
    lhs_constants: false,
    unsafe_math: true,
    pure_getters: true,
    unsafe: true,
    unsafe_arrows: true,
    unsafe_comps: true,
    keep_fargs: false,
    hoist_funs: true,
  },
  mangle: { nth_identifier: names },
  format: { comments: /webpackIgnore|@vite-ignore/ },
})

/** swc's minifier after terser's: each finds what the other one leaves. */
const again = (compresses) => ({
  name: 'minify-again',
  async renderChunk(code, chunk, { format }) {
    const module = format === 'es'
    const compress = compresses && { ecma: 2020, passes: 3, unsafe: true, pure_getters: true, toplevel: module }
    const done = await minifyAgain(code, {
      module,
      compress,
      mangle: { toplevel: module },
      format: { comments: 'all' },
    })
    return { code: done.code, map: null }
  },
})
/**
 * Gives short names to properties that no other script uses: what two scripts use may be handed from one to the other. Two
 * properties have the same short name where no object has both: gzip has fewer letters to tell apart.
 */
const shortenProperties = {
  name: 'shorten-properties',
  renderChunk(code) {
    const uses = Array.from(code.matchAll(MARKED))
    const known = new Set(uses.flatMap(([, name, group]) => (shared.has(group) ? [name] : [])))
    const counts = new Map()
    for (const [, name] of uses) if (!known.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
    const taken = new Set(
      Array.from(code.matchAll(/\b[A-Za-z_$]{1,2}(?=:)|(?<=\.)[A-Za-z_$]{1,2}\b/g), ([name]) => name),
    )
    const short = new Map()
    for (const [name] of [...counts].sort(([, a], [, b]) => b - a)) {
      const others = [...short].flatMap(([other, given]) => (mayMeet(name, other) ? [given] : []))
      let n = 0
      while (taken.has(names.get(n)) || others.includes(names.get(n))) n++
      short.set(name, names.get(n))
    }
    return { code: code.replace(MARKED, (marked, name) => short.get(name) ?? name), map: null }
  },
}
const minify = [shortenProperties, shorten, again(true)]
/** For scripts with the work of a challenge: its loops are as fast as they are because each is a function of its own. */
const minifyWork = [shortenProperties, shorten, again(false)]

/** One word where there were two: terser joins more of them, and gzip has one less to tell. */
const lets = { name: 'lets', renderChunk: (code) => ({ code: code.replace(/\bconst(?=[\s{[])/g, 'let'), map: null }) }

/**
 * Taken when the script loads, as in src/browser-apis.ts: a page may replace what stands on `window` later. The second script
 * is a worker, too, where there is no `window`.
 */
const CAPTURED_NAMES = [
  'Promise',
  'Map',
  'Set',
  'AbortController',
  'URLSearchParams',
  'Worker',
  'Object',
  'Array',
  'JSON',
]
const CAPTURED = `const{${CAPTURED_NAMES}}=self;`

/** Takes the types off, and the white space out of the style sheet. */
const typescript = {
  name: 'typescript',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null
    const text = marked.get(id) ?? code
    const source = id.endsWith('styles.ts') ? text.replace(/(?<=const css = )`[^`]*`/, tight) : text
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

/** A script of its own from `src/`. */
async function script(name, format, plugins, intro = '') {
  const bundle = await rollup({ input: here(`src/${name}.ts`), plugins: [typescript, ...plugins] })
  const { output } = await bundle.generate({ format, intro })
  return output[0].code.trim()
}

/** A module `inline:NAME` whose default export is made here. */
const inline = (name, make) => ({
  name: `inline-${name}`,
  resolveId: (id) => (id === `inline:${name}` ? `\0${id}` : null),
  load: async (id) => (id === `\0inline:${name}` ? `export default ${JSON.stringify(await make())}` : null),
})

/**
 * `inline:NAME`, src/NAME.ts as one function: a script calls it as a worker and on the main thread, and passes its
 * text to workers that start from a blob. The text runs outside its script, so it takes from `self` what it uses.
 */
const inlineWorker = (name) => ({
  ...inline(name),
  async load(id) {
    if (id !== `\0inline:${name}`) return null
    const code = await script(name, 'es', [])
    const used = CAPTURED_NAMES.filter((captured) => new RegExp(`\\b${captured}\\b`).test(code))
    const [body, exported] = code.split(/export \{ (\w+) \};?$/)
    if (!exported) throw new Error(`widget/src/${name}.ts exports one function`)
    return `export default function worker({${used}}){${body}return ${exported}}`
  },
})
const workers = ['worker', 'pb-worker', 'any-worker'].map(inlineWorker)

/** Properties of our own that more than one script uses. */
const shared = new Set()
const seen = new Set()
for (const [name, plugins] of Object.entries({
  captcha: [...workers, inline('integrity', () => ({}))],
  visit: [inline('texts', () => ({}))],
  rare: workers,
  frame: workers,
})) {
  const used = new Set(Array.from((await script(name, 'es', plugins)).matchAll(MARKED), ([, , group]) => group))
  for (const group of used) (seen.has(group) ? shared : seen).add(group)
}

/** Stands in the minified second script where the words of the language go. */
const WORDS = 'words of the language'

/** By language: the second script. The code is the same in each. */
async function visitScripts() {
  const code = await script('visit', 'es', [inline('texts', () => WORDS), lets, minify], CAPTURED)
  const [before, after] = code.split(JSON.stringify(WORDS))
  if (after === undefined) throw new Error('widget/src/visit.ts has no place for the words')
  return new Map([['en', '{}'], ...words].map(([language, texts]) => [language, before + texts + after]))
}

/** By language: the words as JSON. English is built in. */
const words = new Map()
for (const file of readdirSync(here('src/texts'))) {
  const language = file.replace('.json', '')
  const texts = JSON.parse(readFileSync(here(`src/texts/${file}`), 'utf8'))
  words.set(language, JSON.stringify(texts))
}
const visits = await visitScripts()
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`

const rare = await script('rare', 'es', [...workers, lets, minify], CAPTURED)

/** For pages that name the hash of captcha.js: it names those of the scripts that it loads. */
const inlineIntegrity = inline('integrity', () => ({ '-visit-en': hash(visits.get('en')), '-rare': hash(rare) }))

/** The page that an app shows in a web view; the fixed version is that of the API, as pages of customers have it. */
const nativePage = (code) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Human verification</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<main><p><button hidden></button></p><p><output></output></p></main>
<script src="captcha.js?v=1"></script><script>${code}</script>`

/** The second script in every language, the words alone, and the page that other pages frame: one request each. */
const files = {
  name: 'files',
  async buildStart() {
    for (const [language, source] of words)
      this.emitFile({ type: 'asset', fileName: `captcha-text-${language}.json`, source })
    for (const [language, source] of visits)
      this.emitFile({ type: 'asset', fileName: `captcha-visit-${language}.js`, source })
    this.emitFile({ type: 'asset', fileName: 'captcha-rare.js', source: rare })
    this.emitFile({ type: 'asset', fileName: 'compat.js', source: await script('compat', 'iife', [lets, minify]) })
    const native = await script('native', 'iife', [lets, minify])
    this.emitFile({ type: 'asset', fileName: 'native.html', source: nativePage(native) })
    const source = `<!doctype html><meta charset="utf-8"><title>svc-captcha</title><script>${await script('frame', 'iife', [...workers, lets, minifyWork])}</script>`
    this.emitFile({ type: 'asset', fileName: 'captcha-frame.html', source })
  },
}

/**
 * The types of the API, for pages that are built with TypeScript. What they add to `window` and to the events comes last: our own sources
 * have a `window.svcCaptcha` too.
 */
const types = {
  name: 'types',
  writeBundle() {
    const all = ['captcha.d.ts', 'page-types.d.ts'].map((file) => readFileSync(here(file), 'utf8')).join('\n')
    writeFileSync(here('../dist/captcha.d.ts'), all)
  },
}

export default {
  input: here('src/captcha.ts'),
  output: { file: here('../dist/assets/captcha.js'), format: 'iife', generatedCode: 'es2015', intro: CAPTURED },
  plugins: [typescript, ...workers, inlineIntegrity, files, types, lets, minifyWork, zopfli(here('../dist/assets'))],
}
