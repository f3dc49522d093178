/** Prints what a page loads, raw, gzip and brotli; fails above the limit. Issue 4: captcha.js at most 15 kB gzip. */
import { readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const LIMIT = 15_000
const folder = new URL('../dist/assets/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => name.startsWith('captcha'))) {
  const raw = readFileSync(new URL(file, folder))
  const gzip = gzipSync(raw, { level: 9 }).length
  console.log(`${file.padEnd(24)} raw ${raw.length}  gzip ${gzip}  brotli ${brotliCompressSync(raw).length}`)
  if (file === 'captcha.js' && gzip > LIMIT) process.exitCode = 1
}
