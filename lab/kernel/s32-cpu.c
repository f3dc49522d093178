/* The kernel as plain C, on one core: `s32-cpu KEY-HEX FROM COUNT STEPS` prints a unit's output a line, and the time on standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "s32.cl"

static word base[WORDS], table[WORDS];

int main(int argc, char **argv) {
  word key[8] = {0};
  if (argc != 5 || strlen(argv[1]) != 64) {
    fprintf(stderr, "usage: s32-cpu KEY-HEX FROM COUNT STEPS\n");
    return 2;
  }
  for (int i = 0; i < 32; i++) {
    unsigned byte = 0;
    sscanf(argv[1] + 2 * i, "%2x", &byte);
    key[i / 4] |= (word)byte << (8 * (i % 4));
  }
  const word from = (word)strtoul(argv[2], 0, 10), count = (word)strtoul(argv[3], 0, 10);
  const word steps = (word)strtoul(argv[4], 0, 10);
  const clock_t began = clock();
  prepare(base, key, steps);
  for (word i = 0; i < count; i++) {
    memcpy(table, base, sizeof table);
    printf("%u\n", walk_global(table, key, from + i, steps));
  }
  const double micros = (double)(clock() - began) * 1e6 / CLOCKS_PER_SEC;
  fprintf(stderr, "%.2f us a unit\n", micros / (count ? count : 1));
  return 0;
}
