import { recordedPerson } from '../person/recorded-person.mjs'

/**
 * Hands that nobody recorded, as a good bot invents them: reaches of least jerk with a bow and a second, smaller
 * movement at the end (Flash and Hogan 1985; Meyer et al. 1988), and keys of log-normal times.
 *
 * @param {ReturnType<import('../person/dice.mjs').dice>} dice
 * @returns {ReturnType<typeof recordedPerson>}
 */
export function inventedPerson(dice) {
  const reaches = [120, 200, 320, 450, 600, 800].flatMap((distance) =>
    Array.from({ length: 6 }, () => inventedReach(distance, dice)),
  )
  const key = () => ({ gap: 165 * Math.exp(0.35 * dice.bell()), held: 95 * Math.exp(0.2 * dice.bell()) })
  const sentence = () => {
    let at = 0
    return [...'greetings from the coast'].map((letter) => {
      const { gap, held } = key()
      at += gap
      return { at, until: at + held, key: letter }
    })
  }
  const typist = { rhythm: Array.from({ length: 80 }, key), sentences: [sentence(), sentence()] }
  return recordedPerson({ mouse: { reaches }, typist }, dice)
}

function inventedReach(distance, dice) {
  const duration = 180 + 160 * Math.log2(distance / 40 + 1) * dice.between(0.8, 1.25)
  const bow = distance * 0.06 * dice.bell()
  const first = dice.between(0.9, 0.97)
  const points = []
  for (let t = 0; t <= duration; t += 8) {
    const u = t / duration
    // The first movement takes three quarters of the time and stops a little short.
    const along = u < 0.75 ? first * least(u / 0.75) : first + (1 - first) * least((u - 0.75) / 0.25)
    points.push({ t, x: distance * along + dice.bell() * 0.4, y: bow * Math.sin(Math.PI * along) + dice.bell() * 0.4 })
  }
  points.push({ t: Math.ceil(duration), x: distance, y: 0 })
  return { points, distance, duration, settle: dice.between(40, 180), held: 80 * Math.exp(0.2 * dice.bell()) }
}

/** The way done at a share of the time, in a movement of least jerk. */
const least = (u) => 10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5
