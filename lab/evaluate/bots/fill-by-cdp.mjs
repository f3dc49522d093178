/**
 * Fills in the form with hands of the DevTools protocol (cdp-hands.mjs, cdp-finger.mjs).
 *
 * @param {object} stage
 * @param {{ click: (box: object) => Promise<void>, type: (text: string) => Promise<void>, rest: (least: number, most: number) => Promise<void> }} hands
 */
export async function fillByCdp({ customer, who }, hands) {
  const box = async (id) => {
    const { places } = await customer.layout()
    const [left, top, width, height] = places[id]
    return { left, top, width, height }
  }
  await customer.layout()
  await hands.rest(900, 2000)
  for (const id of ['name', 'email', 'comment']) {
    await hands.click(await box(id))
    await hands.rest(250, 700)
    await hands.type(who[id])
    await hands.rest(300, 900)
  }
  await hands.click(await box('terms'))
  await hands.rest(200, 500)
  await hands.click(await box('send'))
  await customer.form()
}
