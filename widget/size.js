/**
 * Prints what a page loads, raw, gzip and brotli; fails above a limit, in bytes of gzip. Both are what the service sends: the
 * gzip of the build (zopfli.js), and brotli at its highest quality.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const LIMITS = { 'captcha.js': 15_000, 'compat.js': 2_000, 'before the submit': 20_000 }
/** What an ordinary visit loads before the submit, in English. */
const BEFORE_SUBMIT = ['captcha.js', 'captcha-visit-en.js']
const before = { gzip: 0, brotli: 0 }
const folder = new URL('../dist/assets/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => /^(captcha|compat).*(?<!\.gz)$/.test(name))) {
  const raw = readFileSync(new URL(file, folder))
  const gzip = statSync(new URL(`${file}.gz`, folder)).size
  const brotli = brotliCompressSync(raw).length
  print(file, `raw ${raw.length}  gzip ${gzip}  brotli ${brotli}`)
  if (gzip > LIMITS[file]) process.exitCode = 1
  if (!BEFORE_SUBMIT.includes(file)) continue
  before.gzip += gzip
  before.brotli += brotli
}
print('before the submit', `gzip ${before.gzip}  brotli ${before.brotli}`)
if (before.gzip > LIMITS['before the submit']) process.exitCode = 1

function print(name, bytes) {
  console.log(`${name.padEnd(24)} ${bytes}`)
}
