import type { State } from './state.ts'

/** Sets attributes, spelled `name=value;name=value`: a page's policy may forbid markup and inline styles. */
export function describe<Made extends Element>(
  node: Made,
  attributes: string,
  children: Node[] = [],
): Made {
  for (const one of attributes.split(';'))
    node.setAttribute(...(one.split('=') as [string, string]))
  node.append(...children)
  return node
}

const shape = (name: string, attributes: string, ...children: Node[]): SVGElement =>
  describe(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)

export const element = (name: string, attributes: string, ...children: Node[]): HTMLElement =>
  describe(document.createElement(name), attributes, children)

const NONE = 'class=;d='
const TICK = 'class=tick;d=m9 14 4 4 7-8'

/** The sign inside the mark, by state. */
const SIGNS: Partial<Record<State['at'], string>> = {
  ready: TICK,
  verified: TICK,
  failed: 'class=bang;d=M14 9v6m0 4v.1',
  expired: 'class=again;d=M19 14a5 5 0 1 1-2-4m0-2v3h-3',
}

/** Draws the mark: a frame, a progress ring and a sign. The style sheet shows the one that applies. */
export function markDrawing(): {
  readonly mark: SVGElement
  readonly draw: (state: State) => void
} {
  const sign = shape('path', NONE)
  return {
    mark: shape(
      'svg',
      'viewBox=0 0 28 28;aria-hidden=true',
      shape('rect', 'class=frame;x=2;y=2;width=24;height=24;rx=7'),
      shape(
        'g',
        'class=spin',
        shape('circle', 'class=track;cx=14;cy=14;r=11.5'),
        shape('circle', 'class=arc;cx=14;cy=14;r=11.5;pathLength=100;transform=rotate(-90 14 14)'),
      ),
      sign,
    ),
    draw: ({ at }) => void describe(sign, SIGNS[at] ?? NONE),
  }
}
