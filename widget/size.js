/** Prints the bytes of what a page loads, and fails if the script is over its limits. */
import { readdirSync, statSync } from 'node:fs'

const LIMITS = { 'captcha.js': { gz: 21_000, br: 19_000 } }
const folder = new URL('../dist/assets/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => !/\.(gz|br)$|-text-(?!de)/.test(name))) {
  const [raw, gz, br] = ['', '.gz', '.br'].map((end) => statSync(new URL(file + end, folder)).size)
  console.log(`${file.padEnd(24)} raw ${raw}  gzip ${gz}  brotli ${br}`)
  const limit = LIMITS[file]
  if (limit && (gz > limit.gz || br > limit.br)) process.exitCode = 1
}
