"""The unit of work `s32.1` in Python, written from docs/design/work.md, "Units": prints s32.json with the outputs of its keys."""

import json
import pathlib
import struct

WORDS = 32_768
STEPS = 1024
MASK = 0xFFFFFFFF


def rotate(word, by):
    return (word << by | word >> (32 - by)) & MASK


def quarter_round(z, a, b, c, d):
    for target, other, mixed, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        z[target] = (z[target] + z[other]) & MASK
        z[mixed] = rotate(z[mixed] ^ z[target], by)


def chacha12(words):
    z = list(words)
    for _ in range(6):
        for column in range(4):
            quarter_round(z, column, 4 + column, 8 + column, 12 + column)
        for diagonal in range(4):
            quarter_round(z, diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4)
    return [(word + more) & MASK for word, more in zip(words, z)]


def seeded(key, index, domain):
    constants = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    return chacha12([*constants, *struct.unpack("<8I", key), index, STEPS, 0x32337363, domain])


def base_table(key):
    state = seeded(key, 0, 0)
    lanes = [[state[lane], state[lane + 4]] for lane in range(4)]
    table = []
    for _ in range(WORDS // 4):
        for lane in lanes:
            word, carry = lane
            lane[0] = (word * 0x915F77F5 + carry) & MASK
            lane[1] = rotate(carry, 13) ^ word
            table.append(lane[0])
    return table


def unit(key, base, index):
    table = list(base)
    state = seeded(key, index, 1)
    lanes = state[8:12]
    factors = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)
    for _ in range(STEPS):
        places = [lane >> 17 for lane in lanes]
        first = [table[place] for place in places]
        second = [table[place ^ 8] for place in places]
        for i in range(4):
            lanes[i] = ((lanes[i] ^ first[i]) * factors[i] + second[i]) & MASK
        for i in range(4):
            table[places[i]] = rotate(lanes[i], 13) ^ second[i]
            table[places[i] ^ 8] = (first[i] + lanes[(i + 1) % 4]) & MASK
    return chacha12([word ^ lane for word, lane in zip(state[:4], lanes)] + state[4:])[0]


path = pathlib.Path(__file__).with_suffix(".json")
vectors = json.loads(path.read_text())
for case in vectors["cases"]:
    key = bytes.fromhex(case["keyHex"])
    base = base_table(key)
    case["outputs"] = [unit(key, base, index) for index in vectors["units"]]
print(json.dumps(vectors, ensure_ascii=False))
