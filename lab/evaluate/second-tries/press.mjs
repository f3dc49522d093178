/** How people press the button of the step, once it takes a press. Each waits until the form has arrived. */

const isOpen = ({ places }) => places.step !== undefined
const PATIENCE = 60_000

/** With the mouse. */
export async function pressByMouse({ customer }, hands) {
  await customer.layout(isOpen, PATIENCE)
  await hands.rest(500, 1500)
  await hands.click('step', isOpen)
  await customer.form(60_000)
}

/** With Tab and Space; the focus is on the button that sends the form, which comes after the step. */
export async function pressByKeyboard({ customer }, hands) {
  await customer.layout(isOpen, PATIENCE)
  await hands.rest(500, 1500)
  for (let tabs = 0; tabs < 8; tabs++) {
    if ((await customer.layout()).active === 'step') break
    const seen = customer.focusMoved(2000)
    await hands.tap('Tab', 'Shift')
    await hands.rest(200, 500)
    await seen
  }
  await hands.tap(' ')
  await customer.form(60_000)
}
