/**
 * 10th, 50th and 90th centile of what was recorded of 40 people with a mouse and 30 people with a keyboard: figures only.
 * docs/design/risk.md, "Recorded hands", says who recorded them. fit.mjs measured the shapes of the reaches and the typing.
 */
export const RECORDED = {
  distance: [181, 502, 1033],
  duration: [378, 600, 902],
  settle: [8, 59, 207],
  held: [55, 75, 111],
  detour: [1.01, 1.09, 1.63],
  unevenness: [0.77, 1.19, 1.69],
  centre: [0.22, 0.36, 0.51],
  peaks: [1, 2, 3],
  rests: [0, 1, 3],
  keyHeld: [72, 104, 130],
  keyGap: [125, 172, 246],
  keyHeldSpread: [0.27, 0.34, 0.45],
  keyGapSpread: [0.54, 0.74, 1.2],
  overlaps: [0.01, 0.16, 0.39],
  backspaces: [0.03, 0.04, 0.11],
}
