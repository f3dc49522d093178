import { loadavg } from 'node:os'
import { decodeJwt } from 'jose'
import { startCustomer } from '../stand/customer.mjs'
import { startEdge } from '../stand/edge.mjs'
import { addressFor, played } from './stage.mjs'

/**
 * One visit: a customer and an edge of its own, the visitor, and what came of it. `run` counts from 0; no other
 * visit has the same `number`.
 */
export async function oneVisit(visitor, { run, number, service, display, person, learnt }) {
  const edge = await startEdge(service.url, addressFor(visitor.address, number), visitor)
  const customer = await startCustomer({
    edgeUrl: edge.url,
    serviceUrl: service.url,
    secret: service.secret,
  })
  const around = { service, display, person, learnt }
  const visit = await played(visitor, {
    ...around,
    run,
    edge,
    customer,
    /**
     * A visit of another visitor, to learn from: with an edge, a customer and an address of its own. Who asks for the
     * same `share` in the same run learns from the same visit.
     */
    another(other, share = visitor.name) {
      const key = `${share} ${run}`
      const apart = () => oneVisit(other, { ...around, run, number: number + 50_000 })
      if (!learnt.has(key)) learnt.set(key, apart())
      return learnt.get(key)
    },
    /** A visit of another visitor from the same address, or from one nearby: a neighbour. */
    beside: (other, address = edge.address) =>
      oneVisit({ ...other, address }, { ...around, run, number }),
  })
  try {
    return await outcome({ ...visit, edge, customer, service })
  } finally {
    await visit.end()
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
