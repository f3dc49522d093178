import { fileURLToPath } from 'node:url'
import terser from '@rollup/plugin-terser'
import { minify as simplify, transform } from '@swc/core'
import { rollup } from 'rollup'

/** Removes types, and the white space of the style sheet. */
const typescript = {
  name: 'typescript',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null
    const source = id.endsWith('styles.ts') ? code.replace(/(?<=const css = )`[^`]*`/, tight) : code
    const jsc = { target: 'es2020', parser: { syntax: 'typescript' } }
    const done = await transform(source, {
      filename: id,
      jsc,
      module: { type: 'es6' },
      sourceMaps: true,
    })
    return { code: done.code, map: done.map }
  },
}

const tight = (css) =>
  css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .replace(/` | `/g, '`')

/**
 * Members of our own objects, which no page, message or service sees: a shorter name for each saves 200 bytes after gzip. terser
 * renames every member of that name but those of the DOM and of JavaScript, so test/rooms/widget/mangled-names.test.ts compares them with all names that others use. Messages
 * to workers keep their names: compat.js starts workers from captcha.js, and each build has short names of its own.
 */
export const MANGLED = `
  hasActed isHolding isLate isOpen isForForm opensWindow cancelHeld leftMs endsMs waitMs waiter
  dropToken restyle isWorker rungs onProgress giveBack during giveUp setTexts wasConnected
  isOfScript workerFile summarise noteWork isFlat isCentred onReturn spend heldSubmit spare
  review visit tell pageOptions prove hold renewal outcome pressedElement over place report
  isPressing isSecond takeBack watch miss unmount scan keeper supply wake renewExpired noteUse
  onTouch onState restock refill notePress onEnd showMark home away isWhole answer field move
  events run act see shareDone showState putToken nextChunk noteHits takeWork requestToken
  tokenForScript noteSentWithForm onPress onChange current schedule
  sender flow announce base script press
`
  .trim()
  .split(/\s+/)

const minify = terser({
  ecma: 2020,
  mangle: {
    properties: { regex: new RegExp(`^(${MANGLED.join('|')})$`) },
  },
  // The loops of the work are fast because each is a function of its own: nothing here inlines them.
  compress: {
    passes: 6,
    inline: 1,
    unsafe: true,
    unsafe_arrows: true,
    unsafe_methods: true,
    pure_getters: true,
    keep_fargs: false,
  },
})

/** Before terser, which finds less by itself: 60 bytes after gzip. */
const simpler = {
  name: 'simpler',
  renderChunk: async (code, _chunk, { format }) => {
    const compress = { ecma: 2020, passes: 3 }
    const done = await simplify(code, {
      compress,
      mangle: false,
      ecma: 2020,
      module: format === 'es',
    })
    return { code: done.code, map: null }
  },
}

/** `let` in place of `const` saves 140 bytes after gzip. */
const lets = {
  name: 'lets',
  renderChunk: (code) => ({ code: code.replace(/\bconst(?=[\s{[])/g, 'let'), map: null }),
}

/** Captured when the script loads, as in src/clock.ts. */
const CAPTURED =
  'Promise Map Set AbortController URLSearchParams Worker Object Array JSON FormData'.split(' ')

/**
 * Turns src/worker.ts into one function, which a script calls in a worker and on the main thread, and passes as text to workers that
 * start from a blob. So it takes the captured globals as its argument.
 */
const inlineWorker = {
  name: 'inline-worker',
  async load(id) {
    if (!id.endsWith('src/worker.ts')) return null
    const code = await bundle('src/worker.ts', { format: 'es' })
    const used = CAPTURED.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
    const [body, exported] = code.split(/export \{ (\w+) \};?\s*$/)
    if (!exported) throw new Error('widget/src/worker.ts exports one function')
    return `export function workerCode({${used}}){${body}return ${exported}}`
  },
}

/** Bundles a file, named from this folder, with its imports. */
export async function bundle(file, output, plugins = []) {
  const input = fileURLToPath(new URL(file, import.meta.url))
  const { generate } = await rollup({ input, plugins: [typescript, ...plugins] })
  return (await generate(output)).output[0].code
}

/**
 * Builds one script of the widget, minified.
 *
 * @param {string} file its path in this folder.
 * @param {'iife' | 'es'} format `es` for a module that a test imports.
 */
export const buildScript = (file, format = 'iife') =>
  bundle(file, { format, generatedCode: 'es2015', intro: `const{${CAPTURED}}=self;` }, [
    inlineWorker,
    lets,
    simpler,
    minify,
  ])
