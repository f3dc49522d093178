const SVG = 'http://www.w3.org/2000/svg'

/** A node of SVG; attributes only, since a page's policy may refuse markup and inline styles. */
function shape(name: string, attributes: string, ...children: Node[]): SVGElement {
  const node = attributed(document.createElementNS(SVG, name), attributes)
  node.append(...children)
  return node
}

/** Sets attributes, spelled `name=value;name=value`. */
export function attributed<T extends Element>(node: T, attributes: string): T {
  for (const one of attributes.split(';')) node.setAttribute(...(one.split('=') as [string, string]))
  return node
}

/** The mark of every state in one drawing; the style sheet shows the one that is meant. */
export function markDrawing(): SVGElement {
  return shape(
    'svg',
    'viewBox=0 0 28 28;aria-hidden=true',
    shape('rect', 'class=frame;x=2;y=2;width=24;height=24;rx=7'),
    shape('circle', 'class=track;cx=14;cy=14;r=11.5'),
    shape(
      'g',
      'class=spin',
      shape('circle', 'class=arc;cx=14;cy=14;r=11.5;pathLength=100;transform=rotate(-90 14 14)'),
    ),
    shape('path', 'class=tick;d=m8.5 14.5 3.8 3.8 7.4-8.1'),
    shape('path', 'class=bang;d=M14 8.5v6.7m0 4v.05'),
    shape('path', 'class=again;d=M19.2 13.6a5.3 5.3 0 1 1-1.6-3.5m.2-2.6-.1 2.8-2.8.1'),
  )
}

/** A small shield: what the box is, at a glance. */
export function brandDrawing(): SVGElement {
  return shape(
    'svg',
    'class=brand;viewBox=0 0 24 24;aria-hidden=true',
    shape('path', 'd=M12 3.2 5 5.8v5.4c0 4.4 2.9 7.9 7 9.6 4.1-1.7 7-5.2 7-9.6V5.8Z'),
    shape('path', 'd=m9 12 2.2 2.2 4-4.3'),
  )
}
