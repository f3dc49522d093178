/** Writes tiny MMDB files, as https://maxmind.github.io/MaxMind-DB/ describes them, so that no test needs third-party data. */
import ipaddr from 'ipaddr.js'

type Value = string | number | { readonly [name: string]: Value }

/** An MMDB file of these ranges and their records. @param ipVersion 4: a table of IPv4 alone. */
export function mmdb(records: Readonly<Record<string, Value>>, ipVersion: 4 | 6 = 6): Buffer {
  const data: Buffer[] = []
  let dataSize = 0
  const nodes: [number | undefined, number | undefined][] = [[undefined, undefined]]
  const leaves: { node: number; side: 0 | 1; at: number }[] = []
  for (const [cidr, record] of Object.entries(records)) {
    const [parsed, mask] = ipaddr.parseCIDR(cidr)
    const padded = parsed.kind() === 'ipv4' && ipVersion === 6
    const bytes = padded
      ? [...Array<number>(12).fill(0), ...parsed.toByteArray()]
      : parsed.toByteArray()
    const bits = padded ? mask + 96 : mask
    const at = dataSize
    data.push(encode(record))
    dataSize += data.at(-1)!.length
    let node = 0
    for (let depth = 0; depth < bits; depth++) {
      const side = ((bytes[depth >> 3]! >> (7 - (depth & 7))) & 1) as 0 | 1
      if (depth === bits - 1) leaves.push({ node, side, at })
      else {
        nodes[node]![side] ??= nodes.push([undefined, undefined]) - 1
        node = nodes[node]![side]!
      }
    }
  }
  const tree = Buffer.alloc(nodes.length * 6)
  const write = (node: number, side: 0 | 1, value: number): void => {
    tree.writeUIntBE(value, node * 6 + side * 3, 3)
  }
  nodes.forEach((sides, node) => {
    for (const side of [0, 1] as const) write(node, side, sides[side] ?? nodes.length)
  })
  for (const { node, side, at } of leaves) write(node, side, nodes.length + 16 + at)
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: ipVersion,
    database_type: 'test',
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata])
}

const [TEXT, MAP, UINT32] = [2, 7, 6]

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(TEXT, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(UINT32, 4), bytes])
  }
  const members = Object.entries(value).flatMap(([name, inner]) => [encode(name), encode(inner)])
  return Buffer.concat([control(MAP, members.length / 2), ...members])
}

/** Type and size; sizes up to 28, and to 284 with a byte more. */
const control = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29])
