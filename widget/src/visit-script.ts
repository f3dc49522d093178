// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import integrity from 'inline:integrity'
import type { WireProof, WireSignals } from '../../src/wire.ts'
import { request } from './browser-apis.ts'
import type { After, Clock } from './clock.ts'
import { trustedAddress } from './csp.ts'
import { type PageWatch, watchPage } from './signals/page.ts'
import type { Texts } from './texts.ts'
import type { PressedStep } from './step.ts'
import type { RareScript } from './rare-script.ts'
import type { Options } from './options.ts'
import type { KeptWork } from './work.ts'
import type { WorkerFacts } from './worker-messages.ts'

/** An object that answers the tasks of a challenge. */
export interface Prover {
  /** @returns undefined when this page lays nothing out now. */
  answerProof(proof: WireProof): Promise<NonNullable<WireSignals['proof']> | undefined>
}

/** The object that src/visit.ts hands over. */
export interface VisitScript extends Prover {
  /** The words of its language. */
  readonly texts: Partial<Texts>
  /**
   * Begins to watch, or joins in where another widget of the page has begun.
   * @param place where something may be put for a moment, out of the page's sight.
   */
  watchVisit(place: Node): Watch & { readonly end: () => void }
}

export interface Watch {
  /**
   * @param worker what the navigator of a worker says; undefined where the page itself worked.
   * @param probes whether the console may be asked who listens.
   */
  readonly summary: (worker: WorkerFacts | undefined, probes: boolean) => WireSignals
}

/** How our own script was put into the page; its second half is loaded in the same way. */
export interface OwnScript {
  /**
   * Where a service serves it, with a slash at the end; empty: it is part of the page's own scripts. Code comes from
   * nowhere else: a container's address may be a visitor's words, in a page that lets attributes through.
   */
  readonly base: string
  /** What follows the `?` of its address. */
  readonly version: string
  /** The nonce by which a policy knows the tag. */
  readonly policyNonce: string
  /**
   * True if the page named its hash: then the second half has to have the one it was built with. To know those of
   * all languages would take a tenth of the script, so that it is the English one, and the words are a file of data.
   */
  readonly isPinned: boolean
}

/**
 * Where a file of ours is.
 *
 * @param apiBase for a script that is part of the page's own.
 */
export const assetAddress = (apiBase: string, file: string, { base, version }: OwnScript): string =>
  `${base || apiBase}assets/captcha${file}.js${version}`

/**
 * Loads the second script. A page that named a hash gets the English one.
 *
 * @param tries before this one: a browser may keep for good that an address could not be loaded, but not with another fragment.
 */
export const loadVisit = (apiBase: string, language: string, own: OwnScript, tries: number): Promise<VisitScript> =>
  loadScript(apiBase, `-visit-${own.isPinned ? 'en' : language}`, own, tries ? `#${tries}` : '')

/** Loads the words alone, for a page that named a hash. */
export async function loadWords(
  apiBase: string,
  language: string,
  { version }: OwnScript,
  signal: AbortSignal,
): Promise<Partial<Texts>> {
  const words = `${apiBase}assets/captcha-text-${language}.json${version}`
  const answer = await request(words, { credentials: 'omit', referrerPolicy: 'origin', signal })
  return answer.json() as Promise<Partial<Texts>>
}

/** Loads the parts that few visits need. src/rare.ts */
export const loadRare = (apiBase: string, own: OwnScript): Promise<RareScript> => loadScript(apiBase, '-rare', own, '')

/**
 * Loads another script of ours as a module: its nonce and its trust are those of our own script, no page can see what it
 * hands over, and the browser keeps one of each address for all widgets.
 *
 * @throws when it cannot be had. The widget works on without the second script, in English.
 */
async function loadScript<T>(apiBase: string, file: string, own: OwnScript, fragment: string): Promise<T> {
  const address = assetAddress(apiBase, file, own) + fragment
  try {
    if (own.isPinned) await pinned(address, integrity[file]!, own.policyNonce)
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ address)) as T
  } catch (error) {
    // oxlint-disable-next-line eslint/no-console -- people may be taken for bots without it
    console.warn(`svc-captcha: ${address} could not be loaded`)
    throw error
  }
}

/** `import()` cannot name a hash; an element can, and what it has loaded is what `import()` then finds. */
function pinned(address: string, hash: string, policyNonce: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const settle = (done: () => void) => () => (script.remove(), done())
    script.type = 'module'
    script.crossOrigin = 'anonymous'
    script.integrity = hash
    script.nonce = policyNonce
    script.addEventListener('load', settle(resolve))
    script.addEventListener('error', settle(reject))
    script.src = trustedAddress(address)
    document.head.append(script)
  })
}

/** A visit as one widget sees it. */
export interface Visit extends Pick<PageWatch, 'touched' | 'working' | 'sent'> {
  /** Begins to watch as soon as the second script is there. */
  join(loading: Promise<VisitScript>): void
  /** Answers the proof while the work is done, so that no submit waits for it. */
  prove(proof: WireProof | undefined): void
  /** Sums the visit up; soon, even if the second script never comes. */
  readonly summarise: (work: KeptWork, step: PressedStep | undefined) => Promise<Summary>
}

export interface Summary {
  /** As JSON text. */
  readonly signals: string
  /** True if nothing was observed, and the visitor did not press the step of a second try. */
  readonly isBare: boolean
}

/** A submit does not wait longer than this for the second script. Milliseconds. */
const WAIT_MS = 1500

/** Watches the visit; what is told before the second script is there is kept. */
export function visitOf(
  place: () => Node,
  options: Pick<Options, 'consoleProbe'>,
  clock: Clock,
  after: After,
  stop: AbortSignal,
): Visit {
  const page = watchPage(document, () => clock.steady())
  const proofs = new WeakMap<WireProof, ReturnType<Prover['answerProof']> | undefined>()
  let script: VisitScript | undefined
  let watch: ReturnType<VisitScript['watchVisit']> | undefined
  let settled: Promise<void>
  const answer = (proof: WireProof, by: Prover | undefined = script): ReturnType<Prover['answerProof']> | undefined =>
    by?.answerProof(proof).catch(() => undefined)
  return {
    ...page,
    join(loading) {
      settled = loading
        .then((loaded) => {
          if (stop.aborted || watch) return
          script = loaded
          watch = loaded.watchVisit(place())
          stop.addEventListener('abort', watch.end)
        })
        .catch(() => {})
    },
    prove(proof) {
      page.challenged()
      if (proof) void settled.then(() => proofs.set(proof, answer(proof)))
    },
    async summarise({ ms, workers, workerFacts, proof }, step) {
      await new Promise<void>((resolve) => {
        const cancel = after(WAIT_MS, resolve)
        void settled.finally(() => (cancel(), resolve()))
      })
      // Once more where the page was not laid out then. The step can answer where the second script never came.
      const answers = proof && ((await proofs.get(proof)) ?? (await answer(proof, step)))
      const watched = observe(watch, workerFacts, options.consoleProbe)
      const signals: WireSignals = {
        v: 1,
        ...(answers && { proof: asList(answers.map(asList)) }),
        ...watched,
        page: { ...watched.page, ...page.summary(), ...(!watch && { bare: 1 }) },
        ...(step && { step }),
        work: { ms: Math.min(3_600_000, Math.round(ms / 10) * 10), workers },
      }
      return { signals: JSON.stringify(signals), isBare: !watch && !step }
    },
  }
}

/** A list that is written as one, also where the page has given all lists a `toJSON` of its own. */
const asList = <T extends object>(list: T): T => Object.defineProperty(list, 'toJSON', { value: undefined })

/** Watching never stops the widget: a page may have taken away what the watching needs. */
function observe(watch: Watch | undefined, ...args: Parameters<Watch['summary']>): WireSignals {
  try {
    return watch?.summary(...args) ?? {}
  } catch {
    return {}
  }
}
