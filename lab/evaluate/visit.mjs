import { loadavg } from 'node:os'
import { decodeJwt } from 'jose'
import { dice as diceOf } from './person/dice.mjs'
import { hands } from './person/hands.mjs'
import { startCustomer } from '../stand/customer.mjs'
import { startEdge } from '../stand/edge.mjs'

/** Milliseconds after which nothing more will come of a visit, a second try included. */
const LIMIT = 300_000

/**
 * One visit: a customer and an edge of its own, the visitor, and what came of it. `run` counts from 0; no other
 * visit has the same `number`.
 */
export async function oneVisit(visitor, { run, number, service, display, person, learnt }) {
  const dice = diceOf(`${visitor.name} ${run}`)
  const edge = await startEdge(service.url, addressFor(visitor.address, number), visitor)
  const customer = await startCustomer({
    edgeUrl: edge.url,
    serviceUrl: service.url,
    secret: service.secret,
  })
  const endings = []
  const stage = {
    run,
    dice,
    edge,
    customer,
    service,
    url: customer.url,
    display,
    who: somebody(dice),
    /** The person of this visit: another one in each run. */
    person: () => person(run * 7 + seed(visitor.name), dice),
    /** The hands of that person, or of another, on the display. */
    hands: (device, who = stage.person()) => hands(display, who, { dice, customer, ...device }),
    /**
     * A visit of another visitor, to learn from: with an edge, a customer and an address of its own. Who asks for the
     * same `share` in the same run learns from the same visit.
     */
    another(other, share = visitor.name) {
      const key = `${share} ${run}`
      const visit = () =>
        oneVisit(other, { run, number: number + 50_000, service, display, person, learnt })
      if (!learnt.has(key)) learnt.set(key, visit())
      return learnt.get(key)
    },
    /** A visit of another visitor from the same address, or from one nearby: a neighbour. */
    beside: (other, address = edge.address) =>
      oneVisit({ ...other, address }, { run, number, service, display, person, learnt }),
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
  const seconds = (performance.now() - started) / 1000
  try {
    return await outcome({ edge, customer, service, problem, seconds })
  } finally {
    for (const end of endings) await Promise.resolve(end()).catch(() => {})
    await customer.close()
    await edge.close()
  }
}

/** What the customer's handler and the service's log say; the score is of the last token. */
async function outcome({ edge, customer, service, problem, seconds }) {
  const tokens = [
    ...new Set([...edge.tokens(), ...customer.forms.map(({ response }) => response)]),
  ].filter(Boolean)
  // A token's id is readable, though what is sealed in it is not.
  const decisionOf = async (token) => (await service.decisionOf(decodeJwt(token).jti)).decision
  const decisionsOf = async (all) =>
    (await Promise.allSettled(all.map(decisionOf))).map(({ value }) => value)
  const known = (await decisionsOf(tokens)).filter(Boolean)
  const firsts = await decisionsOf(edge.tickets())
  const decision = known.at(-1)
  const passed = customer.forms.filter(({ verdict }) => verdict.success === true).length
  return {
    tokens: tokens.length,
    forms: customer.forms.length,
    passed,
    score: decision?.score,
    scores: known.map(({ score }) => score),
    model: decision?.model,
    contributions: decision?.contributions ?? [],
    ...(firsts.length > 0 && {
      asked: firsts.length,
      first: firsts[0]?.score,
      firstContributions: firsts[0]?.contributions,
    }),
    codes: [...new Set(customer.forms.flatMap(({ verdict }) => verdict['error-codes'] ?? []))],
    refusals: [...new Set(edge.calls.flatMap(({ answer }) => answer['error-codes'] ?? []))],
    signals: edge.signals(),
    seconds: Math.round(seconds * 10) / 10,
    load: Math.round(loadavg()[0] * 10) / 10,
    ...(problem !== undefined && { problem }),
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

const addressFor = (place, number) => (place === 'school' ? SCHOOL : (place ?? addressOf(number)))

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
