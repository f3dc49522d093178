import { join } from 'node:path'
import { startAsVisitor } from '../screen/account.mjs'

/**
 * Runs a bot of this folder in a process of its own, as nobody: what it loads is made to run foreign scripts.
 *
 * @param {string} file of this folder
 */
export async function inAProcess(stage, file) {
  const program = [join(import.meta.dirname, file), stage.url, JSON.stringify(stage.who)]
  const bot = startAsVisitor(stage, process.execPath, program)
  const form = stage.customer.form(45_000)
  const ended = bot.gone.then(() => {
    throw new Error(`ended without a form: ${bot.said().trim().split('\n').at(-1) ?? ''}`)
  })
  await Promise.race([form, ended])
}
