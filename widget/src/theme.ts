import { after } from './clock.ts'

/**
 * Tells whether the page around an element is light or dark, judged by the colour of its text: that is set wherever a page
 * has a dark mode, by media query, class or `color-scheme` alike, while the system's wish says nothing about a page
 * that has only one.
 */
export function pageTheme(element: Element): 'light' | 'dark' {
  return lightness(getComputedStyle(element).color) > 0.5 ? 'dark' : 'light'
}

/**
 * How light a computed colour is, 0 to 1, roughly.
 *
 * @param color as browsers serialise it: `rgb(…)`, `color(srgb …)`, `lab(…)`, `oklch(…)` and their like.
 */
export function lightness(color: string): number {
  const [a = 0, b = 0, c = 0] = (color.match(/-?[\d.]+(?=[\s,)/%])/g) ?? []).map(Number)
  if (color.startsWith('ok')) return a
  if (/^l(ab|ch)/.test(color)) return a / 100
  return (0.2126 * a + 0.7152 * b + 0.0722 * c) / (color.startsWith('rgb') ? 255 : 1)
}

/** Pages let their colours fade. Milliseconds. */
const SETTLING_MS = 300

/**
 * Calls back when the page may have changed its theme: by a switch of its own or with the system.
 *
 * @returns looks at the page's elements of now, which routers replace; to be called whenever that may have happened.
 */
export function watchTheme(changed: () => void, signal: AbortSignal): () => void {
  let cancel: (() => void) | undefined
  const soon = (): void => {
    cancel?.()
    cancel = after(SETTLING_MS, () => signal.aborted || changed())
  }
  const observer = new MutationObserver(soon)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', soon, { signal })
  signal.addEventListener('abort', () => observer.disconnect())
  return () => {
    for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true })
  }
}
