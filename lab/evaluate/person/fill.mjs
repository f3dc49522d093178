import { until } from '../../stand/processes.mjs'
import { finger } from './finger.mjs'

const isOpen = ({ places }) => places.step !== undefined

/** Milliseconds for the work of the step, on a busy machine. */
const STEP_MS = 90_000
/** Milliseconds for the work of a widget that begins with the press on its box. */
const BOX_MS = 240_000

/** Presses the button of the step, where the widget shows it. Returns once the form is there or the button was pressed. */
export async function pressIfAsked({ edge, customer }, press) {
  await until(
    () => edge.tickets().length > 0 || customer.forms.length > 0,
    'a form or a step',
    40_000,
  )
  if (customer.forms.length > 0) return
  await customer.layout(isOpen, 60_000)
  await press('step')
}

/**
 * Presses the widget's own box where the page has one, as widgets want that do nothing before, and waits until the form has its
 * token.
 */
export async function pressBox({ customer }, press) {
  if (!customer.box) return
  await press(customer.box.id)
  await customer.layout(({ ready }) => ready, BOX_MS)
}

/**
 * Fills in the customer's form: field by field, the box, the button; waits until the form has arrived. `enter` goes to a
 * field, default `click`; `before` is what comes before each act; `press` presses the button of the step, default `click`.
 */
export async function fillInTurn(
  stage,
  { click, enter = click, type, press = click, before = async () => {} },
) {
  const { who, customer } = stage
  for (const id of ['name', 'email', 'comment']) {
    await before()
    await enter(id)
    await before()
    await type(who[id], id)
  }
  await before()
  await click('terms')
  await pressBox(stage, (id) => before().then(() => click(id)))
  await before()
  await click('send')
  await pressIfAsked(stage, (id) => before().then(() => press(id)))
  await customer.form(STEP_MS)
}

/** Types what belongs into a field: a comment is a sentence of the person's own. */
const typing = (hands) => (text, id) => (id === 'comment' ? hands.typeSentence() : hands.type(text))

/** With the mouse from field to field, and the keyboard in each. */
export async function fillByMouse(stage, hands, { look = [900, 2200], think = [0, 300] } = {}) {
  await stage.customer.layout()
  await hands.rest(...look)
  await fillInTurn(stage, {
    async enter(id) {
      await hands.rest(...think)
      await hands.enter(id)
      // From the mouse to the keyboard, and back.
      await hands.rest(250, 700)
    },
    type: (text, id) => typing(hands)(text, id).then(() => hands.rest(300, 900)),
    click: (id) => hands.click(id).then(() => hands.rest(150, 500)),
  })
}

/** Without a mouse: Tab to each field, Space for the box, Enter on the button. */
export async function fillByKeyboard(stage, hands, { listen = [180, 420] } = {}) {
  const { customer } = stage
  const enter = async (id) => {
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
  const press = async (id) => {
    await enter(id)
    await hands.tap(id === 'send' || id === 'step' ? 'Return' : ' ')
    await hands.rest(200, 500)
  }
  await customer.layout()
  await hands.rest(900, 2200)
  await fillInTurn(stage, {
    enter,
    type: (text, id) => typing(hands)(text, id).then(() => hands.rest(200, 500)),
    click: press,
  })
}

/** With a finger from field to field, and a keyboard in each; `believes` as in hands.mjs. */
export async function fillByTaps(stage, { believes = true } = {}) {
  const person = stage.person()
  const hands = stage.hands({ believes }, person)
  const { tap } = finger(stage.display, person, { ...stage, believes })
  await stage.customer.layout()
  await hands.rest(600, 1300)
  await fillInTurn(stage, {
    click: tap,
    type: hands.type,
    before: () => hands.rest(400, 900),
  })
}
