/** Where things are laid out: out of sight, out of the page's reach, 1,000 by 1,000 CSS pixels. */
export interface Stage {
  /** An empty place with its corner at that of the stage. */
  place(): HTMLElement
  /** Returns x, y, width and height in CSS pixels, from the corner. */
  measure(element: Element): number[]
  close(): void
}

const SIDE = 1000

/** `all` leaves the direction of the text as it is. CSS Cascade 4, 3.2. */
const HOST = `all:initial;display:block;position:fixed;left:-3000px;top:0;width:${SIDE}px;height:${SIDE}px;contain:strict;visibility:hidden;direction:ltr;unicode-bidi:normal;`

/**
 * A stage in a shadow tree of its own, in no list of the reader's and not to be focused. The stage measures itself
 * first: zoomed or scaled pages (`zoom`, `transform` on the root) have other pixels.
 *
 * @returns undefined when nothing is laid out: a frame that is not shown, a page that hides its root.
 */
export function openStage(): Stage | undefined {
  const host = document.createElement('div')
  // `!important` on the element itself wins over every rule of a page, whatever its layer. CSS Cascade 5, 6.1.
  host.style.cssText = HOST.replace(/;/g, '!important;')
  host.setAttribute('aria-hidden', 'true')
  host.setAttribute('inert', '')
  const root = host.attachShadow({ mode: 'closed' })
  document.documentElement.append(host)
  const own = host.getBoundingClientRect()
  if (!own.width || !own.height) {
    host.remove()
    return undefined
  }

  return {
    place() {
      const place = document.createElement('div')
      place.style.cssText = 'position:absolute;left:0;top:0;width:1000px'
      root.append(place)
      return place
    },
    measure(element) {
      const { left, top, width, height } = element.getBoundingClientRect()
      const [scaleX, scaleY] = [SIDE / own.width, SIDE / own.height]
      return [(left - own.left) * scaleX, (top - own.top) * scaleY, width * scaleX, height * scaleY]
    },
    close: () => host.remove(),
  }
}
