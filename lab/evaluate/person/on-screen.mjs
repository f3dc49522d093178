/** Where a part of the page is, in pixels of the screen, from what the page itself told (page.mjs, LAYOUT_SCRIPT). */
export function onScreen({ places, ratio, outer, inner, mozInner }, id) {
  const place = places[id]
  if (!place) throw new Error(`the page has no #${id}`)
  const [left, top, width, height] = place.map((n) => n * ratio)
  const origin = mozInner ? mozInner.map((n) => n * ratio) : belowTheBars(outer, inner, ratio)
  return { left: origin[0] + left, top: origin[1] + top, width, height }
}

/**
 * Where things are for a hand. Some browsers make their screen up, for privacy: then it is taken from the X server, and the
 * page is as wide as its window, and at its lower end. `believes`: whether the page's account of the screen is true.
 */
export async function trueLayout(layout, x, believes) {
  if (believes) return layout
  const { left, top, width, height } = await x.activeWindow()
  const ratio = width / layout.inner[0]
  return { ...layout, ratio, mozInner: [left / ratio, (top + height) / ratio - layout.inner[1]] }
}

/** Chromium says where its window is; its bars are above the page, and the other three borders are alike. */
export function belowTheBars([x, y, width, height], inner, ratio) {
  const border = Math.max(0, (width - inner[0] * ratio) / 2)
  return [x + border, y + height - inner[1] * ratio - border]
}

/** Whether one has to scroll to see it: 0, all of it is in sight; 1, it is further down; -1, further up. */
export function outOfSight({ places, inner }, id) {
  const [, top = 0, , height = 0] = places[id] ?? []
  if (top + height > inner[1] - 4) return 1
  return top < 4 ? -1 : 0
}

/** How large a box is to a pointer that comes from there: its width along the way, in pixels. */
export function sizeAlong({ width, height }, from, to) {
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)]
  const distance = Math.hypot(dx, dy)
  return distance === 0
    ? width
    : Math.min((width * distance) / (dx || 1e-9), (height * distance) / (dy || 1e-9))
}

/** Somewhere on it, as hands aim: about the middle, seldom near the edge. */
export const somewhereOn = ({ left, top, width, height }, dice) => ({
  x: Math.round(left + width * (0.5 + clip(dice.bell() * 0.13))),
  y: Math.round(top + height * (0.5 + clip(dice.bell() * 0.15))),
})

const clip = (n) => Math.max(-0.4, Math.min(0.4, n))
