import { EXIT } from '../cli/exit-codes.ts'
import type { Io } from '../cli/io.ts'
import { RULES } from '../domain/score/score-model.ts'
import { listen } from '../http/server/listen.ts'
import { started, stopSignal } from './start.ts'

/** Serves pages until a signal. */
export async function sitePage(
  app: Parameters<typeof listen>[0],
  { address, out }: { readonly address: string; readonly out: Io['out'] },
  says: (url: string) => string,
  move: string,
): Promise<number> {
  const [host = '127.0.0.1', port = '8081'] = address.split(':')
  const site = await started(listen(app, { host, port: Number(port) }), () => move)
  out(says(site.url))
  await stopSignal()
  await site.stop(1000)
  return EXIT.done
}

/** Why a rule of the score counts, by its name. */
export function wordsFor(name: string): string {
  return RULES.find((rule) => rule.name === name)?.evidence ?? ''
}
