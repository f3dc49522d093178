import { finger } from './finger.mjs'

/** How people fill in the customer's form. Each waits until the form has arrived. */

const fieldsOf = (who, hands) => [
  ['name', () => hands.type(who.name)],
  ['email', () => hands.type(who.email)],
  ['comment', () => hands.typeSentence()],
]

/** With the mouse from field to field, and the keyboard in each. */
export async function fillByMouse({ customer, who }, hands, { look = [900, 2200], think = [0, 300] } = {}) {
  await customer.layout()
  await hands.rest(...look)
  for (const [id, type] of fieldsOf(who, hands)) {
    await hands.rest(...think)
    await hands.enter(id)
    // From the mouse to the keyboard, and back.
    await hands.rest(250, 700)
    await type()
    await hands.rest(300, 900)
  }
  await hands.click('terms')
  await hands.rest(150, 500)
  await hands.click('send')
  await customer.form()
}

/** Without a mouse: Tab to each field, Space for the box, Enter on the button. */
export async function fillByKeyboard({ customer, who }, hands, { listen = [180, 420] } = {}) {
  const at = async (id) => {
    for (let tabs = 0; tabs < 25; tabs++) {
      const { active } = await customer.layout()
      if (active === id) return
      // One looks where the focus has gone before one goes on; outside the page, there is nothing to see.
      const seen = customer.focusMoved(2000)
      await hands.tap('Tab')
      await hands.rest(...listen)
      await seen
    }
    throw new Error(`Tab never came to #${id}`)
  }
  await customer.layout()
  await hands.rest(900, 2200)
  for (const [id, type] of fieldsOf(who, hands)) {
    await at(id)
    await type()
    await hands.rest(200, 500)
  }
  await at('terms')
  await hands.tap(' ')
  await hands.rest(200, 500)
  await at('send')
  await hands.tap('Return')
  await customer.form()
}

/** With a finger from field to field, and a keyboard in each; `believes` as in hands.mjs. */
export async function fillByTaps({ customer, who, dice, display, ...stage }, { believes = true } = {}) {
  const person = stage.person()
  const hands = stage.hands({ believes }, person)
  const { tap } = finger(display, person, { dice, customer, believes })
  await customer.layout()
  await hands.rest(1000, 2200)
  for (const id of ['name', 'email', 'comment']) {
    await tap(id)
    await hands.rest(400, 900)
    await hands.type(who[id])
    await hands.rest(400, 900)
  }
  await tap('terms')
  await hands.rest(400, 900)
  await tap('send')
  await customer.form()
}
