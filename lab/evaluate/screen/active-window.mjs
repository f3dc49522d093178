/**
 * Where the window is that has the focus, by the X server's own account: for a browser that does not tell its page. In
 * pixels of the screen.
 */
export async function activeWindow({ ask, root }) {
  const name = Buffer.from('_NET_ACTIVE_WINDOW')
  const length = Buffer.alloc(4)
  length.writeUInt16LE(name.length, 0)
  const atom = (await ask(INTERN_ATOM, Buffer.concat([length, name]))).readUInt32LE(8)
  const window = (await ask(GET_PROPERTY, numbers(root, atom, 0, 0, 1))).readUInt32LE(32)
  const geometry = await ask(GET_GEOMETRY, numbers(window))
  const place = await ask(TRANSLATE, numbers(window, root, 0))
  return {
    left: place.readInt16LE(12),
    top: place.readInt16LE(14),
    width: geometry.readUInt16LE(16),
    height: geometry.readUInt16LE(18),
  }
}

const INTERN_ATOM = 16
const GET_PROPERTY = 20
const GET_GEOMETRY = 14
const TRANSLATE = 40

function numbers(...all) {
  const body = Buffer.alloc(all.length * 4)
  all.forEach((n, i) => body.writeUInt32LE(n, i * 4))
  return body
}
