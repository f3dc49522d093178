import { type HostilePage, STRICT } from './page.ts'

/** Pages as customers write them, and worse. */
export const HOSTILE: readonly HostilePage[] = [
  { name: 'plain' },
  { name: 'strict-policy', headers: STRICT },
  { name: 'quirks', doctype: '' },
  { name: 'rtl-vertical', html: '<html dir="rtl" style="writing-mode:vertical-rl">' },
  {
    name: 'resets',
    style: `@layer reset { html > *, html > * * { all: unset !important; display: none !important; } }
      *, *::before { box-sizing: border-box !important; margin: 3px !important; padding: 2px !important; width: 1px !important;
        float: right !important; display: inline !important; line-height: 9 !important; transform: scale(2) !important; }
      div { display: none !important; font-size: 77px !important; zoom: 2 !important; }
      :not(:defined), [inert], [aria-hidden] { display: none !important; }`,
    body: '<p>Shop</p>',
  },
  { name: 'zoomed', style: 'html { zoom: 1.3 } body { zoom: .7 }' },
  { name: 'scaled', style: 'html { transform: scale(.8); transform-origin: 0 0 }' },
  {
    name: 'inherited',
    style:
      'html { font: 3px/4 serif; letter-spacing: 9px; text-indent: 40px; white-space: pre; --a: 999px; --b: none }',
  },
  {
    name: 'laid-out-root',
    style:
      'html { display: grid; grid-template-columns: 1fr 1fr; overflow: hidden; height: 10px } html > * { order: 2 }',
  },
]
