/**
 * `node --import`: a disk on which the module `cli.js` or `cli/run.js` is not read before the file
 * `MODULES_HERE` exists.
 */
import { existsSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) register(import.meta.url)

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (/\/dist\/(cli\/run|cli)\.js$/.test(url)) {
    writeSync(1, 'modules are loading\n')
    while (!existsSync(String(process.env['MODULES_HERE'])))
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return nextLoad(url, context)
}
