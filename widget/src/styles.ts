/**
 * Lengths follow the font size and directions the text, so that zoom, large text and right-to-left need no extra rules.
 * Contrasts are at least 4.5 : 1 for text and 3 : 1 for borders and marks, in both themes.
 */
const css = `
.box {
  --bg: var(--svc-captcha-background, #fff);
  --fg: var(--svc-captcha-text, #1b2430);
  --soft: var(--svc-captcha-muted, #5a6675);
  --line: var(--svc-captcha-border, #d3d9e1);
  --edge: var(--svc-captcha-mark, #7b8797);
  --accent: var(--svc-captcha-accent, #2563eb);
  --ok: var(--svc-captcha-success, #15803d);
  --bad: var(--svc-captcha-error, #b42318);
  --on: var(--svc-captcha-on-success, #fff);
  --radius: var(--svc-captcha-radius, .75em);
  --tone: var(--soft);
  box-sizing: border-box;
  position: relative;
  display: flex;
  align-items: center;
  gap: .75em;
  inline-size: min(20em, 100%);
  min-block-size: 4.25em;
  padding: .7em .9em;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--bg);
  color: var(--fg);
  font-size: max(15px, 1rem);
  font-weight: 400;
  font-family: var(--svc-captcha-font, inherit);
  line-height: 1.35;
  letter-spacing: normal;
  text-align: start;
  text-transform: none;
  overflow-wrap: anywhere;
}
.dark {
  --bg: var(--svc-captcha-background, #1a1f27);
  --fg: var(--svc-captcha-text, #edf0f4);
  --soft: var(--svc-captcha-muted, #a3aebd);
  --line: var(--svc-captcha-border, #363f4c);
  --edge: var(--svc-captcha-mark, #7d8a9c);
  --accent: var(--svc-captcha-accent, #6ea0ff);
  --ok: var(--svc-captcha-success, #4ade80);
  --bad: var(--svc-captcha-error, #ff9b90);
  --on: var(--svc-captcha-on-success, #0b2414);
}
.done { --tone: var(--ok) }
.failed { --tone: var(--bad) }
.flexible { inline-size: 100% }
.compact { inline-size: min(11.5em, 100%); gap: .6em; padding: .6em .7em }
.invisible:not(.stuck, :focus-within), :host(:not(:focus-within)) { position: absolute; inline-size: 1px; min-block-size: 0; block-size: 1px; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%) }
.invisible:not(.stuck, :focus-within) .mark { visibility: hidden }
button { font: inherit; color: inherit; margin: 0; cursor: pointer }
.mark {
  flex: none;
  inline-size: max(24px, 1.875em);
  block-size: max(24px, 1.875em);
  padding: 0;
  border: 0;
  background: none;
  outline: none;
  cursor: default;
}
.mark::after { content: ''; position: absolute; inset: 0; border-radius: calc(var(--radius) - 1px) }
.mark:focus-visible::after, .retry:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
.open:hover { border-color: var(--edge) }
.open .mark { cursor: pointer }
svg { fill: none; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
.mark svg { display: block; inline-size: 100%; block-size: 100%; overflow: visible }
.frame { stroke: var(--edge); stroke-width: 1.5; fill: transparent; transition: .25s }
.open:hover .frame { stroke: var(--accent) }
.done .frame, .failed .frame { stroke: var(--tone); rx: 14px }
.verified .frame { fill: var(--tone) }
.spin { transform-origin: 14px 14px }
.busy .spin { animation: turn 1.6s linear infinite }
.box:not(.busy) .spin *, .busy .frame { opacity: 0 }
.track { stroke: var(--line) }
.arc { stroke: var(--accent); stroke-dasharray: 100; stroke-dashoffset: calc(100 - var(--done, 0) * 88 - 12); transition: .25s }
.waiting .arc, .mark path { stroke: var(--tone) }
.verified .tick { stroke: var(--on) }
.done .tick { stroke-dasharray: 20; animation: draw .3s ease-out }
.text { flex: 1; display: grid; align-items: center; min-inline-size: min(9em, 40vw, 100% - 2.7em) }
.text > div { grid-area: 1 / 1; min-inline-size: 0 }
.room { visibility: hidden }
.room > ::after { content: attr(data-say) }
.compact .text { min-inline-size: 0 }
.label, b { display: block; font-weight: 600 }
p { margin: .1em 0 0; font-size: .8125em }
.status { color: var(--tone) }
.asking .status { position: absolute; clip-path: inset(50%) }
.retry {
  position: relative;
  min-inline-size: 0;
  min-block-size: 2.25em;
  margin-inline-start: auto;
  padding: .3em .8em;
  border: 1px solid var(--edge);
  border-radius: calc(var(--radius) * .7);
  background: var(--bg);
  font-size: .875em;
  font-weight: 600;
}
.retry:hover { border-color: var(--accent); color: var(--accent) }
[aria-disabled=true] { opacity: .7 }
.stuck { flex-wrap: wrap }
.stuck .text { flex-basis: 9em }
.asking .text { flex-basis: 5em; min-inline-size: 0 }
.compact.failed .text { flex-basis: 6em }
.failed .room, .asking .room, .status:empty { display: none }
@keyframes turn { to { transform: rotate(1turn) } }
@keyframes draw { from { stroke-dashoffset: 20 } }
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important }
}
@media (forced-colors: active) {
  .box { --bg: Canvas; --soft: CanvasText; --line: CanvasText; --edge: ButtonText; --accent: Highlight; --ok: CanvasText; --bad: CanvasText; --on: HighlightText }
  .track { stroke: GrayText }
  .verified .frame { fill: Highlight; stroke: Highlight }
}
`

let sheet: CSSStyleSheet | undefined

/** Adds the style sheet to a shadow root: constructed, since `style-src` may forbid inline styles; Safari before 16.4 gets an element. */
export function applyStyles(root: ShadowRoot): void {
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
    }
    root.adoptedStyleSheets = [sheet]
  } catch {
    const style = document.createElement('style')
    style.textContent = css
    root.append(style)
  }
}
