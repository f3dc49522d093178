/**
 * A script without a browser that does all it can: a DOM simulator and the widget's own code of the proof. Proofs come on
 * standard input, answers go to standard output. node simulated.mjs jsdom|happy-dom SCRIPT
 */
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const [, , name, script] = process.argv
const PAGE = '<!doctype html><html><body><p>Shop</p></body></html>'
const windows = {
  async jsdom() {
    const { JSDOM } = await import('jsdom')
    return new JSDOM(PAGE, { url: 'https://shop.example.com/', pretendToBeVisual: true }).window
  },
  async 'happy-dom'() {
    const { Window } = await import('happy-dom')
    const window = new Window({ url: 'https://shop.example.com/', width: 1280, height: 800 })
    window.document.write(PAGE)
    return window
  },
}
const window = await windows[name]()
const { document } = window
Object.assign(globalThis, { window, document, self: window })
// Whoever cheats pretends that the stage has its size: without it the widget would not even try.
const honest = window.HTMLElement.prototype.getBoundingClientRect
const cheats = process.argv[4] === 'with-a-stage'
if (cheats) {
  window.HTMLElement.prototype.getBoundingClientRect = function () {
    const isStage = this.style.position === 'fixed'
    return isStage ? { left: 0, top: 0, width: 1000, height: 1000 } : honest.call(this)
  }
}
const { answerProof } = await import(pathToFileURL(script))
const answers = JSON.parse(await text(process.stdin)).map((proof) => answerProof(proof) ?? null)
console.log(JSON.stringify(answers))
process.exit(0)
