/**
 * Reads every file of the plug-in with the parsers of other versions of PHP, which npm has compiled to WebAssembly: 470 MB, so
 * that no suite brings them.
 *
 *   node test/wordpress/parse.mjs 7.4 8.3 8.4
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const VERSION = '3.1.56'
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'build/programs', `php-wasm-${VERSION}`)
const plugin = join(root, 'packages/wordpress')

if (!existsSync(join(folder, 'node_modules'))) {
  mkdirSync(folder, { recursive: true })
  const packages = ['node', 'universal'].map((name) => `@php-wasm/${name}@${VERSION}`)
  execFileSync('npm', ['install', '--silent', '--prefix', folder, ...packages], {
    stdio: 'inherit',
  })
}
const { resolve } = createRequire(join(folder, 'package.json'))
/** @param {string} name */
const load = (name) => import(pathToFileURL(resolve(`@php-wasm/${name}`)).href)
const [{ loadNodeRuntime }, { PHP }] = await Promise.all([load('node'), load('universal')])

const READ = `<?php
try {
  token_get_all( file_get_contents( '/file.php' ), TOKEN_PARSE );
} catch ( ParseError $error ) {
  echo $error->getMessage(), ' in line ', $error->getLine();
}`
const files = readdirSync(plugin, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.php'),
)
let wrong = 0
for (const version of process.argv.slice(2)) {
  const php = new PHP(await loadNodeRuntime(version, { emscriptenOptions: { processId: 1 } }))
  /** @param {string | Uint8Array} text @returns {Promise<string>} */
  const problemOf = async (text) => {
    php.writeFile('/file.php', text)
    return (await php.run({ code: READ })).text
  }
  if ((await problemOf('<?php $a = ;')) === '') throw new Error(`PHP ${version} finds no error`)
  for (const file of files) {
    const problem = await problemOf(readFileSync(join(plugin, file)))
    if (problem !== '') console.log(`PHP ${version}: ${file}: ${problem}`)
    wrong += Number(problem !== '')
  }
  const { text } = await php.run({ code: '<?php echo PHP_VERSION;' })
  console.log(`PHP ${text} reads ${files.length} files`)
}
process.exit(wrong === 0 ? 0 : 1)
