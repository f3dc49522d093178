// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import workerCode from 'inline:worker'
import type { ChallengeAnswer, ChallengeRequest } from '../../src/wire.ts'
import type { Reply, Service } from './api.ts'
import type { ErrorNumber } from './errors.ts'
import type { Options } from './options.ts'
import { KNOWN_PROOF } from './proof/version.ts'
import type { RareScript } from './rare-script.ts'
import { solveWork } from './solver.ts'
import type { View } from './view.ts'
import { assetAddress, type OwnScript, type Visit } from './visit-script.ts'
import type { SupplyNeeds } from './work.ts'
import { type Ladder, workerLadder } from './worker-ladder.ts'

export interface SourceNeeds {
  readonly options: Options
  /** Keeps every question from the service. */
  readonly fault: ErrorNumber | undefined
  /** The service's address, with a slash at its end. */
  readonly base: string
  readonly own: OwnScript
  readonly service: Service
  readonly visit: Visit
  readonly view: View
  readonly loadRare: () => Promise<RareScript>
  /** Settles when the page is visible. */
  readonly visible: () => Promise<void>
  readonly stop: AbortSignal
}

/** Asks for the challenges of one widget, and does their work. */
export function workSource({
  options,
  fault,
  base,
  own,
  service,
  visit,
  view,
  loadRare,
  visible,
  stop,
}: SourceNeeds): Pick<SupplyNeeds, 'ask' | 'askOther' | 'solve'> {
  const ladderOf = (code: typeof workerCode, file: string, type?: WorkerType): Ladder =>
    workerLadder(code, assetAddress(base, file, own), type, async () =>
      (await loadRare()).frameRung(`${base}assets/captcha-frame.html${own.version}`, view.root),
    )
  const ladder = ladderOf(workerCode, '')
  /** For slow engines. */
  let pbLadder: Ladder | undefined

  async function ask(ticket: string, algorithm?: ChallengeRequest['algorithm']): Promise<Reply<ChallengeAnswer>> {
    if (fault) return { is: 'refused', code: fault }
    visit.working()
    const { sitekey, action, cdata } = options
    const reply = await service.challenge({ sitekey, action, cdata, proof: KNOWN_PROOF, algorithm, ticket }, stop)
    // The site has no default.
    return reply.is === 'refused' && reply.code === 105 && !options.action ? { is: 'refused', code: 101 } : reply
  }

  return {
    ask,
    async askOther(ticket) {
      await (await loadRare()).tryPb()
      return ask(ticket, 'pb.1')
    },
    async solve(answer, progressed, mayAsk) {
      if (answer.test) view.markTest()
      visit.prove(answer.proof)
      return solveWork(answer, {
        ladder:
          answer.work.a === 'pb.1' ? (pbLadder ??= ladderOf((await loadRare()).pbCode, '-rare', 'module')) : ladder,
        loadRare,
        progressed,
        visible,
        stop,
        // Elsewhere there is no cryptography of the browser's.
        mayAsk: mayAsk && isSecureContext,
        probes: options.consoleProbe,
      })
    },
  }
}
