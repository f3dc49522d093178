import { after } from './browser-apis.ts'
import type { Hired } from './workers.ts'

/** A frame that has loaded and not said hello by then is not ours: an error page, or what a policy left of it. Milliseconds. */
const HELLO_MS = 500

/** The frame sends it in place of an answer when its worker is none. */
export const BROKEN = 0

interface Opened {
  readonly frame: HTMLIFrameElement
  /** Settles when the frame says hello; rejects when it never will. */
  readonly ready: Promise<unknown>
  readonly hired: Set<MessagePort>
  close(): void
}

/**
 * Workers inside a hidden frame from the service's address: its policy is ours, so the page's needs no more than
 * `frame-src`. All workers share one frame, which goes with the last of them. src/frame.ts is the other side.
 *
 * @param address of the frame's page.
 * @param place where the frame is put; out of reach of the page's style sheets, which could show it.
 */
export function frameRung(address: string, place: Node): () => Hired {
  const { origin } = new URL(address)
  let opened: Opened | undefined

  function open(): Opened {
    const frame = document.createElement('iframe')
    const hired = new Set<MessagePort>()
    let hello: (event: MessageEvent) => void
    const ready = new Promise((resolve, reject) => {
      let loads = 0
      frame.addEventListener('load', () => {
        // Moved by the page, a frame loads anew, and its workers are gone.
        if (loads++) for (const port of hired) port.dispatchEvent(new Event('error'))
        else after(HELLO_MS, () => reject(new Error('frame')))
      })
      hello = ({ source, origin: from }) => {
        if (source === frame.contentWindow && from === origin) resolve(source)
      }
    })
    window.addEventListener('message', hello!)
    frame.src = address
    place.appendChild(frame)
    return {
      frame,
      ready,
      hired,
      close() {
        window.removeEventListener('message', hello)
        frame.remove()
      },
    }
  }

  return () => {
    const mine = (opened ??= open())
    const { port1, port2 } = new MessageChannel()
    const broken = (): void => void port1.dispatchEvent(new Event('error'))
    mine.hired.add(port1)
    port1.addEventListener('message', ({ data }) => {
      if (data === BROKEN) broken()
    })
    port1.start()
    mine.ready.then(() => mine.frame.contentWindow!.postMessage(0, origin, [port2])).catch(broken)
    return Object.assign(port1, {
      terminate() {
        port1.close()
        if (!mine.hired.delete(port1) || mine.hired.size) return
        mine.close()
        opened = undefined
      },
    })
  }
}
