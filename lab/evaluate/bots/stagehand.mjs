/**
 * Drives Chromium by Stagehand on this machine, as its guide shows it. The model, which finds an element and names it, is replaced by the
 * action that it would return. Reads a line of JSON for each act and answers it with a line: line-driver.mjs.
 */
import { createInterface } from 'node:readline'
import { localBrowser, Stagehand } from '@browserbasehq/stagehand'
import { CHROMIUM, WINDOW } from './chromium.mjs'

/** Without a model it refuses actions, though one that is spelled out asks none. */
const UNASKED = { modelName: 'openai/gpt-5.4-mini', apiKey: 'never-sent' }

let browser
let stagehand
let page

/** What the model would answer: the element by its path, and what to do with it. */
const action = (id, method, ...given) =>
  stagehand.act({
    selector: `xpath=//*[@id="${id}"]`,
    description: id,
    method,
    arguments: given,
  })

const ACTS = {
  async open({ url }) {
    browser = await localBrowser.launch({ executablePath: CHROMIUM, headless: false, args: WINDOW })
    stagehand = await Stagehand.create({ browser, model: UNASKED })
    page = (await browser.context.pages())[0]
    await page.goto(url)
  },
  type: ({ id, text }) => action(id, 'fill', text),
  click: ({ id }) => action(id, 'click'),
  press: ({ x, y }) => page.click(x, y),
  async close() {
    await stagehand.close()
    await browser.close()
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  try {
    const result = await ACTS[order.act](order)
    console.log(result?.data?.success === false ? `${order.act}: ${result.data.message}` : 'done')
  } catch (error) {
    console.log(`${order.act}: ${error.message}`.replaceAll('\n', ' '))
  }
}
