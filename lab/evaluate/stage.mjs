import { dice as diceOf } from './person/dice.mjs'
import { hands } from './person/hands.mjs'

/** Milliseconds after which nothing more will come of a visit, a second try included. */
const LIMIT = 300_000

/**
 * Lets a visitor come to a customer's page. `around` has the edge, the customer and the service, the display, the people, the run,
 * and what else the visitor's stage has. What is returned says how long the visit took and what went wrong, and closes it.
 */
export async function played(visitor, { person, run, ...around }) {
  const { customer, display } = around
  const dice = diceOf(`${visitor.name} ${run}`)
  const endings = []
  const stage = {
    ...around,
    run,
    dice,
    url: customer.url,
    who: somebody(dice),
    /** The person of this visit: another one in each run. */
    person: () => person(run * 7 + seed(visitor.name), dice),
    /** The hands of that person, or of another, on the display. */
    hands: (device, who = stage.person()) => hands(display, who, { dice, customer, ...device }),
    /** Closes it when the visit is over, however it ends. */
    defer: (end) => void endings.unshift(end),
  }
  const started = performance.now()
  let problem
  let timer
  try {
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not over in ${LIMIT / 1000} s`)), LIMIT)
    })
    await Promise.race([visitor.visit(stage), tooLong])
  } catch (error) {
    problem = [String(error?.message ?? error).split('\n')[0], lastSeen(customer.layouts)]
      .filter(Boolean)
      .join('; ')
  } finally {
    clearTimeout(timer)
  }
  return {
    seconds: (performance.now() - started) / 1000,
    problem,
    async end() {
      for (const end of endings) await Promise.resolve(end()).catch(() => {})
    },
  }
}

/** What the page told last, for whoever has to find out why no form came. */
function lastSeen(layouts) {
  const last = layouts.at(-1)
  return (
    last &&
    `at #${last.active || 'nothing'}, ${last.focused ? '' : 'not '}focused, fields of ${last.lengths.join(', ')}`
  )
}

/** An address for each visit, each in a network of its own: visitors are strangers to each other. */
const addressOf = (number) =>
  `${24 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.${1 + ((number * 37) % 250)}`

/** Where several people are behind one address, as in a school: no stranger is to pay for the others. */
const SCHOOL = '81.2.69.160'

export const addressFor = (place, number) =>
  place === 'school' ? SCHOOL : (place ?? addressOf(number))

/** Spreads visitors over the people, so that not all of them are the same person. */
const seed = (name) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7)

const FIRST = [
  'Maria',
  'Jonas',
  'Aisha',
  'Tom',
  'Elena',
  'Peter',
  'Grace',
  'Luis',
  'Hannah',
  'Omar',
  'Ines',
  'Paul',
]
const LAST = [
  'Keller',
  'Lind',
  'Okafor',
  'Byrne',
  'Rossi',
  'Novak',
  'Hart',
  'Moreno',
  'Weiss',
  'Haddad',
  'Costa',
]
const MAIL = ['mailbox.org', 'posteo.net', 'example.com', 'example.org']
const HEARD = [
  'a friend told me',
  'I read about it in a magazine',
  'the shop in our street',
  'from my sister',
]

/** Somebody to sign up: what is typed into the form. */
function somebody(dice) {
  const [first, last] = [dice.pick(FIRST), dice.pick(LAST)]
  return {
    name: `${first} ${last}`,
    email: `${first.toLowerCase()}.${last.toLowerCase()}@${dice.pick(MAIL)}`,
    comment: dice.pick(HEARD),
  }
}
