import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildScript } from './build-script.js'

const texts = new URL('src/texts/', import.meta.url)
const out = new URL('../dist/assets/', import.meta.url)

/** The page that an app shows in a web view. The version is that of the API, as in pages of customers. */
const nativePage = (
  code,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Human verification</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<main><p><button hidden></button></p><p><output></output></p></main>
<script src="captcha.js?v=1"></script><script>${code.trim()}</script>`

const files = {
  'captcha.js': await buildScript('src/captcha.ts'),
  'compat.js': await buildScript('src/compat.ts'),
  'native.html': nativePage(await buildScript('src/native.ts')),
}
for (const name of readdirSync(texts))
  files[`captcha-text-${name}`] = JSON.stringify(
    JSON.parse(readFileSync(new URL(name, texts), 'utf8')),
  )

// Each with its compressed copies beside it.
mkdirSync(out, { recursive: true })
for (const [name, text] of Object.entries(files)) {
  writeFileSync(new URL(name, out), text)
  writeFileSync(new URL(`${name}.gz`, out), gzipSync(text, { level: 9 }))
  writeFileSync(new URL(`${name}.br`, out), brotliCompressSync(text))
}
