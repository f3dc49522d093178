import httpEmpty from '../visitors/http-empty.mjs'

/** A program at the visitor's own address: its work is done, and each of its visits scores low. */
export async function badNeighbours(stage, visits = 18) {
  for (let i = 0; i < visits; i++) {
    const { problem } = await stage.beside(httpEmpty)
    if (problem !== undefined) throw new Error(`the neighbour: ${problem}`)
  }
}
