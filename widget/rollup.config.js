import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildScript } from './build-script.js'

const read = (path) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')

/** The page that an app shows in a web view; the fixed version is that of the API, as pages of customers have it. */
const nativePage = (code) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Human verification</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<main><p><button hidden></button></p><p><output></output></p></main>
<script src="captcha.js?v=1"></script><script>${code.trim()}</script>`

/** Every file that a service sends, each with its compressed copies beside it. */
async function assets() {
  const files = {
    'captcha.js': await buildScript('src/captcha.ts'),
    'compat.js': await buildScript('src/compat.ts'),
    'native.html': nativePage(await buildScript('src/native.ts')),
  }
  for (const name of readdirSync(new URL('src/texts', import.meta.url)))
    files[`captcha-text-${name}`] = JSON.stringify(JSON.parse(read(`src/texts/${name}`)))
  return files
}

const emit = {
  name: 'emit',
  resolveId: (id) => (id === 'nothing' ? id : null),
  load: (id) => (id === 'nothing' ? '' : null),
  async generateBundle(_, bundle) {
    for (const name of Object.keys(bundle)) delete bundle[name]
    const put = (fileName, source) => this.emitFile({ type: 'asset', fileName, source })
    for (const [name, text] of Object.entries(await assets())) {
      put(`assets/${name}`, text)
      put(`assets/${name}.gz`, gzipSync(text, { level: 9 }))
      put(`assets/${name}.br`, brotliCompressSync(text))
    }
  },
}

export default {
  input: 'nothing',
  output: { dir: fileURLToPath(new URL('../dist', import.meta.url)) },
  plugins: [emit],
}
