/** Reads a module from standard input, and prints one script with all that it imports. Svelte's and Vue's own compilers compile their files. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { compile } from 'svelte/compiler'
import { compileScript, parse } from 'vue/compiler-sfc'

const svelte = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({
      contents: compile(await readFile(path, 'utf8'), { filename: path, generate: 'client' }).js
        .code,
    }))
  },
}
const vue = {
  name: 'vue',
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, 'utf8'), { filename: path })
      return { contents: compileScript(descriptor, { id: path, inlineTemplate: true }).content }
    })
  },
}

const { outputFiles } = await build({
  stdin: { contents: await text(process.stdin), resolveDir: import.meta.dirname },
  bundle: true,
  minify: true,
  write: false,
  logLevel: 'silent',
  platform: 'browser',
  format: 'iife',
  conditions: ['svelte'],
  define: { 'process.env.NODE_ENV': '"production"' },
  jsx: 'automatic',
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  plugins: [svelte, vue],
})
process.stdout.write(outputFiles[0].text)
