/**
 * Fills `dist/` from what `tsc -p .` has compiled: modules in `esm/`, the same as CommonJS in `cjs/`, types beside both.
 * A second copy of the types is needed: a compiler decides by the nearest package.json what a declaration file describes.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from '@swc/core'

const here = import.meta.dirname
const root = join(here, '../..')
const read = (...path) => readFileSync(join(...path), 'utf8')
const put = (folder, file, text) => writeFileSync(join(here, 'dist', folder, file), text)

/** @param text a module. @returns it for `require`; its directives stay, such as 'use client'. */
const commonJs = (text) =>
  transformSync(text, { swcrc: false, jsc: { target: 'es2022' }, module: { type: 'commonjs' } })
    .code

rmSync(join(here, 'dist'), { recursive: true, force: true })
for (const folder of ['esm', 'cjs']) mkdirSync(join(here, 'dist', folder), { recursive: true })
put('cjs', 'package.json', '{ "type": "commonjs" }\n')

const compiled = [join(root, 'build/client'), join(here, 'components')].flatMap((folder) =>
  readdirSync(folder).map((file) => [file, read(folder, file)]),
)
// Types alone: the script comes from the service, so that both are of one version.
const widget = read(root, 'widget', 'captcha.d.ts')
for (const [file, text] of [...compiled, ['widget.d.ts', widget], ['widget.js', 'export {}\n']]) {
  if (file.endsWith('.d.ts')) {
    // A declaration names its neighbours by the files that are there at run time.
    const types = text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
    put('esm', file, types)
    put('cjs', file, types)
  } else if (file.endsWith('.js')) {
    put('esm', file, text)
    put('cjs', file, commonJs(text))
  }
}
writeFileSync(join(here, 'LICENSE'), read(root, 'LICENSE'))
