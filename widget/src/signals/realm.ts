/*
 * A probe for native functions of the page that are no longer the engine's.
 *
 * Why: plug-ins that hide a driver replace getters of the navigator, and `toString` so that they look native. A realm that was
 * made a moment ago still has the engine's `toString`, and the engine's own text to compare with; and its navigator says
 * of the browser what ours says, unless one of them was changed.
 * Who could be hurt: extensions of real people replace functions too. Looked at are only those that hide a driver; canvas,
 * WebGL, fonts, sound and screen, which privacy extensions replace, are not. Weighs lightly, never alone.
 * Measured: docs/design/risk.md#natives: stealth plug-ins; none of the simulated people.
 */

/** Properties of the navigator that are looked at, and that both navigators have alike, in every browser. */
const NAVIGATOR = ['webdriver', 'userAgent', 'platform', 'vendor', 'hardwareConcurrency', 'languages'] as const
const SAID = [...NAVIGATOR, 'deviceMemory'] as const

/** Properties to look at: the object whose prototype has it, and its name. */
const LOOKED_AT: readonly (readonly [owner: string, name: string])[] = [
  ...[...NAVIGATOR, 'plugins', 'permissions'].map((name) => ['Navigator', name] as const),
  ['Permissions', 'query'],
  ['Function', 'toString'],
  ['HTMLIFrameElement', 'contentWindow'],
]

type Realm = Window & typeof globalThis

/**
 * How many of those looked at were replaced, own properties of the navigator, and what it says otherwise than a fresh one.
 *
 * @param place where a frame may be put for a moment, out of the page's sight.
 */
export function alteredNatives(place: Node): number {
  const frame = document.createElement('iframe')
  frame.hidden = true
  place.appendChild(frame)
  try {
    const fresh = frame.contentWindow as Realm | null
    return (
      Object.getOwnPropertyNames(navigator).length +
      (fresh ? LOOKED_AT.filter((one) => isReplaced(one, fresh)).length + otherwise(fresh.navigator).length : 0)
    )
  } finally {
    frame.remove()
  }
}

const otherwise = (fresh: Navigator): readonly string[] =>
  SAID.filter((name) => String((navigator as never)[name]) !== String((fresh as never)[name]))

function isReplaced([owner, name]: (typeof LOOKED_AT)[number], fresh: Realm): boolean {
  const [ours, engines] = [functionOf(window, owner, name), functionOf(fresh, owner, name)]
  // The page may lack a property that the engine lacks, too; another signal tells of a removed one.
  if (!ours || !engines) return false
  const text = (of: unknown): string => fresh.Function.prototype.toString.call(of)
  // Drivers may put the same script into every realm; then both are the same, and neither is the engine's.
  return text(ours) !== text(engines) || !/\{\s*\[native code\]\s*\}\s*$/.test(text(ours))
}

function functionOf(realm: Realm, owner: string, name: string): unknown {
  const { prototype } = (realm as unknown as Record<string, { prototype?: object } | undefined>)[owner] ?? {}
  const described = prototype && Object.getOwnPropertyDescriptor(prototype, name)
  // oxlint-disable-next-line typescript/unbound-method -- looked at, never called
  return described?.get ?? (described?.value as unknown)
}
