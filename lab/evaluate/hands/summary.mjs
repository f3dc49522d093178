import { dice } from '../person/dice.mjs'
import { browserEvents } from './browser-events.mjs'
import { formVisit, SIGN_UP } from './form-visit.mjs'
import { handOf } from './hand.mjs'
import { machineOf } from './machine.mjs'
import { simulatedPage } from './simulated-page.mjs'
import { widgetSignals } from './widget-signals.mjs'

/**
 * Prepares summaries of synthetic people, as the widget would send them, counted by the widget's own code
 * (widget/src/signals/) from simulated events, without a browser.
 *
 * @returns {Promise<{ ofEvents: Function, ofVisit: Function, ofPerson: Function }>} after a second or less, for the bundler
 */
export async function summaries() {
  const page = simulatedPage()
  const { watchInput, watchPage } = await widgetSignals(page.names)

  /**
   * Counts a stream of events as the widget would.
   *
   * @param {import('./browser-events.mjs').BrowserEvent[]} events
   * @param {number} sentAt milliseconds from the load of the page: when the form is sent
   * @param {typeof SIGN_UP} [form]
   * @returns {{ input: object, page: object }} families of src/score/signals.ts
   */
  function ofEvents(events, sentAt, form = SIGN_UP) {
    const document = page.open(form)
    const input = watchInput(document)
    const timing = watchPage(document, page.now)
    for (const event of events) {
      page.at(event.handledAt)
      if (TOUCHES.has(event.type)) {
        timing.touched()
        timing.working()
      }
      document.dispatch(event)
    }
    page.at(sentAt)
    const counted = input.summary()
    input.end()
    return { input: counted, page: timing.summary() }
  }

  /** Summarises a visit of formVisit() on a machine of machineOf(). @returns the summary as it travels, without a proof */
  function ofVisit({ inputs, sentAt }, machine, form = SIGN_UP) {
    return {
      v: 1,
      automation: AUTOMATION,
      ...ofEvents(browserEvents(inputs, machine), sentAt, form),
      environment: environmentOf(machine),
      work: { ms: Math.round(machine.workMs / 10) * 10 },
    }
  }

  return {
    ofEvents,
    ofVisit,
    /**
     * Summarises a visit of one synthetic person.
     *
     * @param {string | number} seed the person and the machine
     * @param {{ visit?: string | number, manner?: 'mouse' | 'tab' | 'keyboard', system?: 'Windows' | 'macOS' | 'Linux' }} [how] `visit`: another visit of the same
     *   person for another value
     */
    ofPerson(seed, { visit = 0, manner, system } = {}) {
      const drawn = formVisit(handOf(seed, visit), { dice: dice(`visit ${seed} ${visit}`), ...(manner && { manner }) })
      return ofVisit(drawn, machineOf(seed, visit, system))
    },
  }
}

/** A form is touched by the first of these inside it. */
const TOUCHES = new Set(['focusin', 'pointerdown', 'keydown'])

/** An ordinary browser: no sign of a driver. */
const AUTOMATION = { webdriver: 0, headless: 0, artefacts: 0, console: 0 }

const environmentOf = ({ system }) => ({ engine: 1, placed: 1, linuxEngine: Number(system === 'Linux') })
