import { join } from 'node:path'
import { transform } from '@swc/core'
import { rollup } from 'rollup'

const WIDGET = join(import.meta.dirname, '../../../widget/src/signals')
const ENTRY = `export { watchInput } from ${JSON.stringify(join(WIDGET, 'input.ts'))}
export { watchPage } from ${JSON.stringify(join(WIDGET, 'page.ts'))}`

/**
 * Loads the widget's own measuring code into this process, against a document that is simulated: the names that a browser
 * would have are arguments of the script, so that nothing of Node.js is replaced.
 *
 * @param {Record<string, unknown>} names stand in for the browser's globals
 * @returns {Promise<{ watchInput: Function, watchPage: Function }>} of widget/src/signals/
 */
export async function widgetSignals(names) {
  const entry = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? id : null),
    load: (id) => (id === 'entry' ? ENTRY : null),
  }
  const bundle = await rollup({ input: 'entry', plugins: [entry, withoutTypes] })
  const { output } = await bundle.generate({ format: 'cjs', strict: true })
  await bundle.close()
  const exports = {}
  // oxlint-disable-next-line typescript/no-implied-eval -- our own source, bundled a moment ago
  new Function('exports', ...Object.keys(names), output[0].code)(exports, ...Object.values(names))
  return exports
}

const withoutTypes = {
  name: 'without-types',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null
    const jsc = { target: 'es2022', parser: { syntax: 'typescript' } }
    return (await transform(code, { filename: id, jsc, module: { type: 'es6' } })).code
  },
}
