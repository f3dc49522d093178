/*
 * The unit of work `s32.1` (docs/design/work.md, "Units") as a kernel. One source: OpenCL compiles it for a graphics card, and
 * s32-cpu.c includes it as C, so that a test can compare both with the service.
 */
#ifdef __OPENCL_VERSION__
#define GLOBAL __global
#define LOCAL __local
typedef uint word;
#else
#include <stdint.h>
#define GLOBAL
typedef uint32_t word;
#endif

#define WORDS 32768u
#define GENERATOR 0x915f77f5u

static word rotated(word x, word by) { return (x << by) | (x >> (32u - by)); }

static void quarter(word *z, int a, int b, int c, int d) {
  z[a] += z[b];
  z[d] = rotated(z[d] ^ z[a], 16);
  z[c] += z[d];
  z[b] = rotated(z[b] ^ z[c], 12);
  z[a] += z[b];
  z[d] = rotated(z[d] ^ z[a], 8);
  z[c] += z[d];
  z[b] = rotated(z[b] ^ z[c], 7);
}

/* ChaCha12 with feed-forward. */
static void permute(word *state) {
  word z[16];
  for (int i = 0; i < 16; i++) z[i] = state[i];
  for (int round = 0; round < 6; round++) {
    quarter(z, 0, 4, 8, 12);
    quarter(z, 1, 5, 9, 13);
    quarter(z, 2, 6, 10, 14);
    quarter(z, 3, 7, 11, 15);
    quarter(z, 0, 5, 10, 15);
    quarter(z, 1, 6, 11, 12);
    quarter(z, 2, 7, 8, 13);
    quarter(z, 3, 4, 9, 14);
  }
  for (int i = 0; i < 16; i++) state[i] += z[i];
}

/* Seeds the state from the key; `domain` keeps the table (0) and the units (1) apart. */
static void seeded(word *state, GLOBAL const word *key, word index, word steps, word domain) {
  state[0] = 0x61707865u;
  state[1] = 0x3320646eu;
  state[2] = 0x79622d32u;
  state[3] = 0x6b206574u;
  for (int i = 0; i < 8; i++) state[4 + i] = key[i];
  state[12] = index;
  state[13] = steps;
  state[14] = 0x32337363u;
  state[15] = domain;
  permute(state);
}

/* Fills the base table. Once for each challenge. */
static void prepare(GLOBAL word *base, GLOBAL const word *key, word steps) {
  word state[16];
  seeded(state, key, 0, steps, 0);
  for (word j = 0; j < WORDS; j += 4)
    for (word lane = 0; lane < 4; lane++) {
      const word now = state[lane], carry = state[lane + 4];
      state[lane] = now * GENERATOR + carry;
      state[lane + 4] = rotated(carry, 13) ^ now;
      base[j + lane] = state[lane];
    }
}

/*
 * The walk of one unit through its own copy of the table, which stands in the memory that TABLE names. A macro: OpenCL C has no
 * pointer that may be of either memory.
 */
#define WALK(name, TABLE)                                                                          \
  static word name(TABLE word *table, GLOBAL const word *key, word index, word steps) {            \
    word state[16], a[4];                                                                          \
    seeded(state, key, index, steps, 1);                                                           \
    for (int i = 0; i < 4; i++) a[i] = state[8 + i];                                               \
    for (word step = 0; step < steps; step++) {                                                    \
      word j[4], v[4], w[4];                                                                       \
      for (int i = 0; i < 4; i++) {                                                                \
        j[i] = a[i] >> 17;                                                                         \
        v[i] = table[j[i]];                                                                        \
        w[i] = table[j[i] ^ 8u];                                                                   \
      }                                                                                            \
      a[0] = (a[0] ^ v[0]) * 0x9e3779b1u + w[0];                                                   \
      a[1] = (a[1] ^ v[1]) * 0x85ebca77u + w[1];                                                   \
      a[2] = (a[2] ^ v[2]) * 0xc2b2ae3du + w[2];                                                   \
      a[3] = (a[3] ^ v[3]) * 0x27d4eb2fu + w[3];                                                   \
      for (int i = 0; i < 4; i++) {                                                                \
        table[j[i]] = rotated(a[i], 13) ^ w[i];                                                    \
        table[j[i] ^ 8u] = v[i] + a[(i + 1) & 3];                                                  \
      }                                                                                            \
    }                                                                                              \
    for (int i = 0; i < 4; i++) state[i] ^= a[i];                                                  \
    permute(state);                                                                                \
    return state[0];                                                                               \
  }

WALK(walk_global, GLOBAL)

#ifdef __OPENCL_VERSION__
#ifdef IN_LOCAL
WALK(walk_local, LOCAL)
#endif

__kernel void base_table(GLOBAL word *base, GLOBAL const word *key, word steps) {
  prepare(base, key, steps);
}

/* Each work item has a table of its own in the card's memory, and takes every unit that is `lanes` after its last. */
__kernel void units_global(GLOBAL const word *base, GLOBAL const word *key, GLOBAL word *tables,
                           GLOBAL word *out, word from, word count, word steps) {
  const word lanes = (word)get_global_size(0), lane = (word)get_global_id(0);
  GLOBAL word *table = tables + (size_t)lane * WORDS;
  for (word unit = lane; unit < count; unit += lanes) {
    for (word i = 0; i < WORDS; i++) table[i] = base[i];
    out[unit] = walk_global(table, key, from + unit, steps);
  }
}

/* Each group has one table in its core's own memory, where that has 128 KiB: all items copy, the first one walks. */
#ifdef IN_LOCAL
__kernel void units_local(GLOBAL const word *base, GLOBAL const word *key, GLOBAL word *out,
                          word from, word count, word steps) {
  LOCAL word table[WORDS];
  const word groups = (word)get_num_groups(0), group = (word)get_group_id(0);
  for (word unit = group; unit < count; unit += groups) {
    for (word i = (word)get_local_id(0); i < WORDS; i += (word)get_local_size(0)) table[i] = base[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[unit] = walk_local(table, key, from + unit, steps);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
#endif
