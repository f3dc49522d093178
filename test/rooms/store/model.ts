/**
 * A model of the ledger for exhaustive search: one Redis and a replica, two kinds of instances, clocks that jump, and every
 * way in which something may get lost. Small whole numbers stand for times; a token is accepted in a run at most once, or
 * the search returns the run.
 */

/** A token: the end of its life, which is also the end of its bucket. */
export interface Token {
  readonly expiresAt: number
}

interface Server {
  readonly replid: number
  /** How much its clock is ahead. */
  readonly ahead: number
  readonly generation: number
  readonly mark: number | undefined
  /** Number of registered buckets, as the hash says. */
  readonly registered: number
  /** Of each bucket the number of entries that is registered. */
  readonly counts: Readonly<Record<string, number>>
  /** Of each bucket the tokens that are in it. */
  readonly buckets: Readonly<Record<string, readonly number[]>>
}

export interface State {
  readonly time: number
  /** Generations and identities begun so far. */
  readonly begun: number
  readonly primary: Server
  readonly replica: Server
  /** The generation that each token was issued in. */
  readonly issued: readonly number[]
  /** How often each token was accepted. */
  readonly accepted: readonly number[]
}

export interface Rules {
  /** Consumes a token on the primary. @returns the next state. */
  consume(state: State, token: number): State
  /** A poll of an instance, which may remove what is over. */
  poll(state: State): State
  /** What Redis does by itself. */
  tidy(state: State): State
}

/** A clock may be set back by so much; buckets are kept so much longer. */
const SETBACK = 1
/** So long after its end Redis itself removes a bucket that nobody removed. */
const TIDY = 2
const JUMPS = [-3, 0, 1, 4, 20]

const nowOf = (state: State): number => state.time + state.primary.ahead
const keyOf = (generation: number, expiresAt: number): string => `${generation}:${expiresAt}`
const endOf = (key: string): number => Number(key.split(':')[1])
const without = <T>(of: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== key))
const change = (state: State, primary: Partial<Server>): State => ({
  ...state,
  primary: { ...state.primary, ...primary },
})

/** Begins a new generation where entries may be missing. */
function begin(state: State): State {
  const generation = state.begun + 1
  const registered = Object.keys(state.primary.counts).length
  return change({ ...state, begun: generation }, { generation, mark: 0, registered })
}

function isLost(state: State, lastReplid: number): boolean {
  const { generation, mark, replid } = state.primary
  return generation === 0 || mark === undefined || replid !== lastReplid || nowOf(state) < mark - SETBACK
}

/** The rules of src/store/ledger.lua. */
export function bucketRules(tokens: readonly Token[]): Rules {
  /** The identity that the hash names: it is copied with the data, and another one than the server's tells a promotion. */
  const named = (state: State): number => state.primary.counts['replid'] ?? state.primary.replid
  const visible = (state: State): State => {
    if (!isLost(state, named(state))) return state
    const next = begin(change(state, { counts: without(state.primary.counts, 'replid') }))
    return change(next, { counts: next.primary.counts })
  }
  return {
    consume(before, token) {
      const { expiresAt } = tokens[token]!
      const now = nowOf(before)
      const { counts, buckets, generation, registered } = before.primary
      const key = keyOf(generation, expiresAt)
      const count = counts[key]
      const length = buckets[key]?.length ?? 0
      let state = visible(before)
      if (state === before && before.issued[token] === generation && now < expiresAt) {
        const bucketsRegistered = Object.keys(without(counts, 'replid')).length
        const isMissing = count === undefined ? length > 0 || bucketsRegistered !== registered : count !== length
        if (isMissing) state = begin(before)
      }
      const { primary } = state
      if (state.issued[token] !== primary.generation || now >= expiresAt) return state
      if (count === undefined) {
        if (expiresAt + SETBACK <= primary.mark!) return state
        state = change(state, { counts: { ...primary.counts, [key]: 0 }, registered: primary.registered + 1 })
      }
      const held = state.primary.buckets[key] ?? []
      if (held.includes(token)) return state
      const accepted = state.accepted.map((times, i) => (i === token ? times + 1 : times))
      return change(
        { ...state, accepted },
        {
          counts: { ...state.primary.counts, [key]: state.primary.counts[key]! + 1 },
          buckets: { ...state.primary.buckets, [key]: [...held, token] },
        },
      )
    },
    poll(before) {
      const state = visible(before)
      if (state !== before) return state
      const now = nowOf(state)
      const { counts, buckets, generation, mark } = state.primary
      const over = Object.keys(counts).filter((key) => key.startsWith(`${generation}:`) && endOf(key) + SETBACK <= now)
      if (over.length === 0) return state
      return change(state, {
        counts: over.reduce(without, counts as Record<string, number>),
        buckets: over.reduce(without, buckets as Record<string, readonly number[]>),
        registered: state.primary.registered - over.length,
        mark: Math.max(mark!, now),
      })
    },
    tidy(state) {
      const over = Object.keys(state.primary.buckets).filter((key) => endOf(key) + TIDY <= nowOf(state))
      return change(state, {
        buckets: over.reduce(without, state.primary.buckets as Record<string, readonly number[]>),
      })
    },
  }
}

/** The control: Redis expires each entry by its own clock, and a poll alone writes the mark. */
export function expiringRules(tokens: readonly Token[]): Rules {
  const seen = (before: State): State => {
    const state = isLost(before, before.primary.replid) ? begin(before) : before
    return change(state, { mark: Math.max(state.primary.mark ?? 0, nowOf(state)) })
  }
  return {
    consume(before, token) {
      const state = seen(before)
      const { expiresAt } = tokens[token]!
      if (state.issued[token] !== state.primary.generation || nowOf(state) >= expiresAt) return state
      const key = `t:${expiresAt}`
      const held = state.primary.buckets[key] ?? []
      if (held.includes(token)) return state
      const accepted = state.accepted.map((times, i) => (i === token ? times + 1 : times))
      return change({ ...state, accepted }, { buckets: { ...state.primary.buckets, [key]: [...held, token] } })
    },
    poll: seen,
    tidy(state) {
      const over = Object.keys(state.primary.buckets).filter((key) => endOf(key) <= nowOf(state))
      return change(state, {
        buckets: over.reduce(without, state.primary.buckets as Record<string, readonly number[]>),
      })
    },
  }
}

/** What may happen besides jumping clocks. */
export interface Faults {
  /** Buckets, entries, registrations and the mark may get lost, one by one or all together. */
  readonly losses: boolean
  /** A replica copies the server now and then, and may be promoted. */
  readonly replica: boolean
}

/** The faults that may happen at any moment, by name. */
function faults(state: State, { losses, replica }: Faults): [string, State][] {
  const found: [string, State][] = JUMPS.filter((ahead) => ahead !== state.primary.ahead).map((ahead) => [
    `the clock is ${ahead} ahead`,
    change(state, { ahead }),
  ])
  if (state.time < 4) found.push(['time passes', { ...state, time: state.time + 1 }])
  if (replica)
    found.push(['the replica copies', { ...state, replica: { ...state.primary, replid: state.replica.replid } }])
  if (replica && state.begun < 4) {
    const counts = { ...state.replica.counts, replid: state.primary.replid }
    const promoted: Server = { ...state.replica, ahead: state.primary.ahead, replid: state.begun + 100, counts }
    found.push(['the replica is promoted', { ...state, begun: state.begun + 1, primary: promoted }])
  }
  if (!losses) return found
  for (const [key, held] of Object.entries(state.primary.buckets)) {
    found.push([`bucket ${key} is lost`, change(state, { buckets: without(state.primary.buckets, key) })])
    if (held.length > 1) {
      const fewer = { ...state.primary.buckets, [key]: held.slice(1) }
      found.push([`an entry of ${key} is lost`, change(state, { buckets: fewer })])
    }
  }
  for (const key of Object.keys(without(state.primary.counts, 'replid'))) {
    found.push([`the registration of ${key} is lost`, change(state, { counts: without(state.primary.counts, key) })])
  }
  found.push(['the mark is lost', change(state, { mark: undefined })])
  found.push(['all is lost', change(state, { generation: 0, mark: undefined, registered: 0, counts: {}, buckets: {} })])
  return found
}

/**
 * Searches every run of so many steps.
 *
 * @returns the steps of a run in which a token is accepted twice, or undefined; and how many states were seen.
 */
export function search(
  tokens: readonly Token[],
  rules: Rules,
  steps: number,
  possible: Faults,
): { run: string[] | undefined; states: number } {
  const server: Server = { replid: 1, ahead: 0, generation: 1, mark: 0, registered: 0, counts: {}, buckets: {} }
  const issued = tokens.map(() => 1)
  const accepted = tokens.map(() => 0)
  const first: State = { time: 0, begun: 1, primary: server, replica: { ...server, replid: 2 }, issued, accepted }
  const seen = new Set([JSON.stringify(first)])
  let wave: { state: State; run: string[] }[] = [{ state: first, run: [] }]
  for (let step = 0; step < steps; step++) {
    const next: typeof wave = []
    for (const { state, run } of wave) {
      const moves: [string, State][] = [
        ...tokens.map((_, i): [string, State] => [`token ${i} is presented`, rules.consume(state, i)]),
        ['an instance polls', rules.poll(state)],
        ['Redis tidies up', rules.tidy(state)],
        ...faults(state, possible),
      ]
      for (const [name, to] of moves) {
        const key = JSON.stringify(to)
        if (seen.has(key)) continue
        if (to.accepted.some((times) => times > 1)) return { run: [...run, name], states: seen.size }
        seen.add(key)
        next.push({ state: to, run: [...run, name] })
      }
    }
    wave = next
  }
  return { run: undefined, states: seen.size }
}
