/**
 * `npm run build:client`: makes the small package for customers of the built service, in build/client, and packs it as
 * build/human-verification-client-VERSION.tgz; `build.mjs FOLDER`, in that folder. No dependency, `import` and `require`, types for both.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { rollup } from 'rollup'

const ROOT = join(import.meta.dirname, '../..')
const FROM = join(ROOT, 'dist/client')
const BUILD = resolve(process.argv[2] ?? join(ROOT, 'build'))
const TO = join(BUILD, 'client')
const COMPONENTS = join(import.meta.dirname, 'components')
/** What is imported by name; `client` is in `verify.js`. */
const ENTRIES = {
  client: 'verify',
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
  next: 'next',
  react: 'react',
  vue: 'vue',
}

const {
  name: NAME,
  version,
  description,
  license,
  engines,
  peerDependencies,
  peerDependenciesMeta,
} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
rmSync(TO, { recursive: true, force: true })
mkdirSync(join(TO, 'lib'), { recursive: true })

const sources = [FROM, COMPONENTS].flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
for (const path of sources) {
  const file = basename(path)
  const text = readFileSync(path, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
  if (file.endsWith('.d.ts')) {
    writeFileSync(join(TO, 'lib', file), relativeImports(text, 'js'))
    writeFileSync(join(TO, 'lib', file.replace(/\.ts$/, '.cts')), relativeImports(text, 'cjs'))
  } else if (file.endsWith('.js')) writeFileSync(join(TO, 'lib', file), text)
}

/** A declaration file names its neighbours by the files that are there at run time. */
function relativeImports(text, extension) {
  return text.replaceAll(/(from '\.\/[\w-]+)\.(?:ts|js)'/g, `$1.${extension}'`)
}

const input = Object.fromEntries(Object.values(ENTRIES).map((name) => [name, join(TO, 'lib', `${name}.js`)]))
/** Says in which components of Next.js a file may stand; a bundle does not keep it. */
const ON_CLIENT = `'use client'`
const bundle = await rollup({
  input,
  external: Object.keys(peerDependencies),
  onLog: (level, log, print) => log.code === 'MODULE_LEVEL_DIRECTIVE' || print(level, log),
})
await bundle.write({
  dir: join(TO, 'lib'),
  format: 'cjs',
  exports: 'named',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'shared-[name].cjs',
  banner: ({ facadeModuleId }) => (facadeModuleId?.endsWith('/react.js') ? ON_CLIENT : ''),
})
await bundle.close()

// Types alone: the script itself comes from the service, so that both are of one version.
copyFileSync(join(ROOT, 'dist/captcha.d.ts'), join(TO, 'lib/widget.d.ts'))
copyFileSync(join(ROOT, 'dist/captcha.d.ts'), join(TO, 'lib/widget.d.cts'))
writeFileSync(join(TO, 'lib/widget.js'), 'export {}\n')
writeFileSync(join(TO, 'lib/widget.cjs'), "'use strict'\n")
copyFileSync(join(import.meta.dirname, 'README.md'), join(TO, 'README.md'))
copyFileSync(join(ROOT, 'LICENSE'), join(TO, 'LICENSE'))

const conditions = (name) => ({
  import: { types: `./lib/${name}.d.ts`, default: `./lib/${name}.js` },
  require: { types: `./lib/${name}.d.cts`, default: `./lib/${name}.cjs` },
})
/** For compilers that do not read `exports` (`moduleResolution: node10`). */
const typesVersions = {
  '*': Object.fromEntries([
    ...Object.entries({ ...ENTRIES, widget: 'widget' }).map(([path, name]) => [path, [`./lib/${name}.d.cts`]]),
  ]),
}
const manifest = {
  name: NAME,
  version,
  description: `For customers: client library, middleware, components and types of the widget. ${description}`,
  license,
  type: 'module',
  engines,
  sideEffects: false,
  peerDependencies,
  peerDependenciesMeta,
  files: ['lib'],
  exports: {
    ...Object.fromEntries(Object.entries(ENTRIES).map(([path, name]) => [`./${path}`, conditions(name)])),
    './widget': conditions('widget'),
    './package.json': './package.json',
  },
  typesVersions,
}
writeFileSync(join(TO, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)

const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..'], {
  cwd: TO,
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [{ filename, unpackedSize, size }] = JSON.parse(packed.toString())
const tarball = `human-verification-client-${version}.tgz`
renameSync(join(BUILD, filename), join(BUILD, tarball))
process.stdout.write(`${relative(ROOT, join(BUILD, tarball))}: ${size} bytes, ${unpackedSize} unpacked\n`)
