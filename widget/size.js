/** Prints what a page loads, raw, gzip and brotli; fails above a limit, in bytes of gzip. */
import { readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const LIMITS = { 'captcha.js': 15_000, 'compat.js': 2_000, 'before the submit': 20_600 }
/** What an ordinary visit loads before the submit, in English. */
const BEFORE_SUBMIT = ['captcha.js', 'captcha-visit-en.js']
let beforeSubmit = 0
const folder = new URL('../dist/assets/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => /^(captcha|compat)/.test(name))) {
  const raw = readFileSync(new URL(file, folder))
  const gzip = gzipSync(raw, { level: 9 }).length
  console.log(`${file.padEnd(24)} raw ${raw.length}  gzip ${gzip}  brotli ${brotliCompressSync(raw).length}`)
  if (BEFORE_SUBMIT.includes(file)) beforeSubmit += gzip
  if (gzip > LIMITS[file]) process.exitCode = 1
}
console.log(`${'before the submit'.padEnd(24)} gzip ${beforeSubmit}`)
if (beforeSubmit > LIMITS['before the submit']) process.exitCode = 1
