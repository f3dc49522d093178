import { until } from '../../stand/processes.mjs'

const isOpen = ({ places }) => places.step !== undefined

/**
 * Presses the button of the step, where the widget shows it. Returns once the form is there or the button was pressed.
 *
 * @param {{ edge: object, customer: object }} stage
 * @param {(id: string) => Promise<void>} click
 */
export async function pressIfAsked({ edge, customer }, click) {
  await until(() => edge.tickets().length > 0 || customer.forms.length > 0, 'a form or a step', 40_000)
  if (customer.forms.length > 0) return
  await customer.layout(isOpen, 60_000)
  await click('step')
}
