/** The page of the gate: gets a token, exchanges it for a clearance, and reloads in place. There is no return address. */
const page = document.querySelector('main')
const { sitekey, service, level, why } = page.dataset
const { lang: language } = document.documentElement
const channel = new BroadcastChannel('hv-gate')
const ACTIONS = { 1: 'gate', 2: 'gate-pressed' }
const COMMON = { sitekey, apiBase: `${service}/`, language }
/** Where a clearance does not count, the page would reload for ever. */
const MOST_RELOADS = 3
const MINUTE = 60_000
/** Milliseconds that a tab waits for another one. */
const TURN_MS = 5000

/** No token can pass here; `sentence` names the one that says why. */
class Obstacle extends Error {
  constructor(sentence) {
    super(`no clearance can be given: ${sentence}`)
    this.sentence = sentence
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
/** Shows one of the sentences of the page, or none where the widget says enough. */
function say(name) {
  for (const each of page.querySelectorAll('[data-say]')) each.hidden = each.dataset.say !== name
}

/** When this tab reloaded, in the last minute. @throws {Error} where the browser keeps nothing for us, no cookies either. */
function reloads() {
  const all = JSON.parse(sessionStorage.getItem('hv-gate') ?? '[]')
  return all.filter((at) => at > Date.now() - MINUTE)
}

function reload() {
  // Not in `history.state`: Firefox 153 forgets the form of an entry whose state is replaced, and reloads it by GET.
  sessionStorage.setItem('hv-gate', JSON.stringify([...reloads(), Date.now()]))
  location.reload()
  // Firefox asks before it sends a form again; whoever declines is still here.
  setTimeout(say, 1000, 'reload')
}

/** Returns the name of the sentence that says why another reload will not help; undefined where it may. */
function obstacle() {
  if (why === 'site') return why
  try {
    if (!navigator.cookieEnabled) return 'cookies'
    return reloads().length < MOST_RELOADS ? undefined : why
  } catch {
    return 'cookies'
  }
}

const isVisible = () =>
  new Promise((resolve) => {
    const look = () => document.visibilityState === 'visible' && resolve()
    document.addEventListener('visibilitychange', look)
    look()
  })

/**
 * Exchanges a token.
 *
 * @returns whether that passed, or the ticket of a second try.
 * @throws {Obstacle} where no other token would pass either. @throws {Error} where the gate or the service could not judge.
 */
async function exchange(token, action) {
  const body = new URLSearchParams({ 'svc-response': token, action })
  const res = await fetch('/.hv/pass', { method: 'POST', body, redirect: 'error' })
  if (res.status === 204) {
    channel.postMessage(level)
    reload()
    return { passed: true }
  }
  if (res.status !== 403) throw new Error(`the gate answered ${res.status}`)
  const { step_up: ticket, why: sentence } = await res.json()
  if (sentence) throw new Obstacle(sentence)
  return { passed: false, ticket }
}

const loadWidget = () =>
  new Promise((resolve, reject) => {
    if (window.svcCaptcha) return resolve()
    const script = document.createElement('script')
    script.src = `${service}/assets/captcha.js?v=1`
    script.addEventListener('load', resolve)
    script.addEventListener('error', () => reject(new Error('the widget did not load')))
    document.head.append(script)
  })

/** Asks for the step of a second try, where there is a ticket. */
async function withStep(id, action, outcome) {
  if (outcome.passed || !outcome.ticket) return outcome.passed
  say()
  return (await exchange(await svcCaptcha.stepUp(id, outcome.ticket), action)).passed
}

/**
 * Runs a task in one tab at a time: when it has passed, the others reload. A tab whose visitor is asked for a step does not
 * hold them up for long.
 */
async function inTurn(task) {
  if (!navigator.locks) return task()
  let hasBegun = false
  function run() {
    hasBegun = true
    return task()
  }
  try {
    return await navigator.locks.request('hv-gate', { signal: AbortSignal.timeout(TURN_MS) }, run)
  } catch (error) {
    if (hasBegun) throw error
    return task()
  }
}

/** Asks for a clearance without a press, unless the service offers a step. @returns whether it was given. */
async function silentTry() {
  const action = ACTIONS[1]
  const id = svcCaptcha.render('#box', {
    ...COMMON,
    action,
    appearance: 'interaction-only',
    // No form waits here, and a part of the work would lower the score.
    wholeWork: true,
    // The box then says what to press.
    beforeInteractiveCallback: () => say(),
    afterInteractiveCallback: () => say('working'),
  })
  const outcome = await inTurn(async () => exchange(await svcCaptcha.execute(id), action))
  const isIn = await withStep(id, action, outcome)
  if (!isIn) svcCaptcha.remove(id)
  return isIn
}

/** Shows the box, until a press passes. */
async function pressedTry() {
  say()
  const action = ACTIONS[2]
  let resolveToken
  const callback = (token) => resolveToken(token)
  const options = { ...COMMON, action, start: 'manual', execution: 'render', callback }
  const id = svcCaptcha.render('#box', options)
  for (;;) {
    const token = await new Promise((resolve) => {
      resolveToken = resolve
    })
    if (await withStep(id, action, await exchange(token, action))) return
    svcCaptcha.refused(id)
  }
}

/** A pass that the site's people gave away: in the address, where no server sees it. */
async function givenPass() {
  const [, pass] = /^#hv=(.+)$/.exec(location.hash) ?? []
  if (!pass) return false
  history.replaceState(history.state, '', location.pathname + location.search)
  return (await exchange(pass, ACTIONS[level])).passed
}

/** Tries until a clearance is given, or the page can say why none will be. */
async function begin() {
  const sentence = obstacle()
  if (sentence) return say(sentence)
  await isVisible()
  for (let wait = 1000; ; wait = Math.min(wait * 2, MINUTE)) {
    try {
      if (await givenPass()) return
      await loadWidget()
      if (level === '1' && (await silentTry())) return
      return await pressedTry()
    } catch (error) {
      window.svcCaptcha?.remove()
      if (error instanceof Obstacle) return say(error.sentence)
      console.warn('hv-gate:', error)
      say('failed')
      await pause(wait * (1 + Math.random() / 4))
    }
  }
}

channel.addEventListener('message', ({ data }) => data >= level && reload())
void begin()
