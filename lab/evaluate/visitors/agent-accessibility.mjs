import { byAccessibility } from '../bots/accessibility-bus.mjs'
import { FIELDS, thinking } from '../bots/thinking.mjs'

export default {
  name: 'agent: accessibility tree',
  kind: 'inseparable',
  isAgent: true,
  what: 'Chromium without a debugger; a fixed plan in place of the model thinks (log-normal, median 2.5 s), finds fields and buttons by role and name on the accessibility bus (AT-SPI), focuses and presses them by their actions, and lets the bus type; no pointer at all. Assistive technology presses so, and a password manager’s auto-type types so: a rule against it would refuse these people',
  screen: true,
  needs: ['dbus-daemon'],
  async visit(stage) {
    const act = await byAccessibility(stage)
    const think = thinking(stage.dice)
    await stage.customer.layout()
    for (const [id, name] of FIELDS) {
      await think()
      await act({ role: 'entry', name, text: stage.who[id] })
    }
    await think()
    await act({ role: 'check box', name: 'I agree' })
    await think()
    await act({ role: 'push button', name: 'Sign up' })
    await stage.customer.form()
  },
}
