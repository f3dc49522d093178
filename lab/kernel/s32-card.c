/*
 * The kernel on a graphics card by OpenCL: `s32-card S32.CL KEY-HEX FROM COUNT STEPS [SECONDS]`. Prints a unit's output a line, and on
 * standard error the device and the time of a unit: with all tables in the card's memory, and with one in each core's own where it fits.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLE (32768u * 4u)

static void must(cl_int error, const char *what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: OpenCL error %d\n", what, error);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  char *text = calloc(1, 1 << 16);
  if (fread(text, 1, (1 << 16) - 1, file) == 0) exit(1);
  fclose(file);
  return text;
}

/* A graphics card if there is one, else whatever OpenCL has. */
static cl_device_id device_of(void) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  must(clGetPlatformIDs(8, platforms, &count), "platforms");
  const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
  for (int type = 0; type < 2; type++)
    for (cl_uint i = 0; i < count; i++) {
      cl_device_id device;
      if (clGetDeviceIDs(platforms[i], types[type], 1, &device, 0) == CL_SUCCESS) return device;
    }
  fprintf(stderr, "no OpenCL device\n");
  exit(1);
}

struct card {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_uint cores, steps;
  cl_ulong memory, most;
  cl_device_type type;
  int fits; /* a table into a core's own memory */
};

/* Opens the device and compiles the kernels for it. */
static struct card opened(const char *path, cl_uint steps) {
  struct card card = {.device = device_of(), .steps = steps};
  char name[256] = "";
  cl_ulong local = 0;
  clGetDeviceInfo(card.device, CL_DEVICE_NAME, sizeof name, name, 0);
  clGetDeviceInfo(card.device, CL_DEVICE_TYPE, sizeof card.type, &card.type, 0);
  clGetDeviceInfo(card.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, 0);
  clGetDeviceInfo(card.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof card.memory, &card.memory, 0);
  clGetDeviceInfo(card.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof card.most, &card.most, 0);
  clGetDeviceInfo(card.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof card.cores, &card.cores, 0);
  card.fits = local >= TABLE;
  fprintf(stderr, "%s: %u cores of %lu KiB\n", name, card.cores, (unsigned long)(local >> 10));

  cl_int error;
  card.context = clCreateContext(0, 1, &card.device, 0, 0, &error);
  must(error, "context");
  card.queue = clCreateCommandQueue(card.context, card.device, 0, &error);
  must(error, "queue");
  const char *source = read_all(path);
  card.program = clCreateProgramWithSource(card.context, 1, &source, 0, &error);
  must(error, "source");
  const char *options = card.fits ? "-DIN_LOCAL" : "";
  if (clBuildProgram(card.program, 1, &card.device, options, 0, 0) != CL_SUCCESS) {
    char log[8192] = "";
    clGetProgramBuildInfo(card.program, card.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, 0);
    fprintf(stderr, "%s\n", log);
    exit(1);
  }
  return card;
}

static cl_mem buffer(struct card *card, size_t bytes, void *from) {
  cl_int error;
  const cl_mem_flags flags = from ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
  const cl_mem made = clCreateBuffer(card->context, flags, bytes, from, &error);
  must(error, "buffer");
  return made;
}

/* A kernel whose first arguments are these buffers. */
static cl_kernel kernel(struct card *card, const char *name, cl_uint count, const cl_mem *buffers) {
  cl_int error;
  const cl_kernel made = clCreateKernel(card->program, name, &error);
  must(error, name);
  for (cl_uint i = 0; i < count; i++) must(clSetKernelArg(made, i, sizeof(cl_mem), &buffers[i]), name);
  return made;
}

struct job {
  cl_kernel kernel;
  cl_uint arguments; /* that are buffers; then come `from`, `count` and `steps` */
  cl_uint from, count;
  size_t items, group;
};

/* Runs the units of a job, again until some seconds are over, and returns microseconds for each. */
static double timed(struct card *card, struct job job, double seconds) {
  const cl_uint numbers[] = {job.from, job.count, card->steps};
  for (cl_uint i = 0; i < 3; i++) must(clSetKernelArg(job.kernel, job.arguments + i, 4, &numbers[i]), "argument");
  const double began = now();
  double units = 0;
  do {
    must(clEnqueueNDRangeKernel(card->queue, job.kernel, 1, 0, &job.items, &job.group, 0, 0, 0), "run");
    must(clFinish(card->queue), "finish");
    units += job.count;
  } while (now() - began < seconds);
  return (now() - began) * 1e6 / units;
}

static cl_uint *outputs(struct card *card, cl_mem out, cl_uint count) {
  cl_uint *read = malloc(count * 4ul);
  must(clEnqueueReadBuffer(card->queue, out, CL_TRUE, 0, count * 4ul, read, 0, 0, 0), "read");
  return read;
}

/*
 * As many tables as half of the memory holds, and no more than there are units. A processor has one for each core: it hides no wait for
 * memory by more of them.
 */
static size_t lanes_of(const struct card *card, cl_uint count) {
  cl_ulong lanes = (card->most < card->memory / 2 ? card->most : card->memory / 2) / TABLE;
  if (card->type & CL_DEVICE_TYPE_CPU) lanes = card->cores;
  if (lanes > count) lanes = count;
  return lanes > 64 ? lanes - lanes % 64 : lanes;
}

int main(int argc, char **argv) {
  if (argc < 6 || strlen(argv[2]) != 64) {
    fprintf(stderr, "usage: s32-card S32.CL KEY-HEX FROM COUNT STEPS [SECONDS]\n");
    return 2;
  }
  const cl_uint from = (cl_uint)strtoul(argv[3], 0, 10), count = (cl_uint)strtoul(argv[4], 0, 10);
  const double seconds = argc > 6 ? atof(argv[6]) : 0;
  cl_uint key[8] = {0};
  for (int i = 0; i < 32; i++) {
    unsigned byte = 0;
    sscanf(argv[2] + 2 * i, "%2x", &byte);
    key[i / 4] |= byte << (8 * (i % 4));
  }

  struct card card = opened(argv[1], (cl_uint)strtoul(argv[5], 0, 10));
  const size_t lanes = lanes_of(&card, count), one = 1;
  const cl_mem base = buffer(&card, TABLE, 0), keys = buffer(&card, sizeof key, key);
  const cl_mem tables = buffer(&card, lanes * TABLE, 0), out = buffer(&card, count * 4ul, 0);
  const cl_kernel fill = kernel(&card, "base_table", 2, (cl_mem[]){base, keys});
  must(clSetKernelArg(fill, 2, 4, &card.steps), "steps");
  must(clEnqueueNDRangeKernel(card.queue, fill, 1, 0, &one, &one, 0, 0, 0), "base_table");

  struct job job = {.arguments = 4, .from = from, .count = count, .items = lanes};
  job.kernel = kernel(&card, "units_global", 4, (cl_mem[]){base, keys, tables, out});
  job.group = lanes >= 64 ? 64 : 1;
  fprintf(stderr, "tables in the card's memory: %.4f us a unit\n", timed(&card, job, seconds));
  const cl_uint *found = outputs(&card, out, count);
  for (cl_uint i = 0; i < count; i++) printf("%u\n", found[i]);
  if (!card.fits) return 0;

  job = (struct job){.arguments = 3, .from = from, .count = count, .items = 64ul * card.cores, .group = 64};
  job.kernel = kernel(&card, "units_local", 3, (cl_mem[]){base, keys, out});
  fprintf(stderr, "a table in each core's own memory: %.4f us a unit\n", timed(&card, job, seconds));
  if (memcmp(found, outputs(&card, out, count), count * 4ul) == 0) return 0;
  fprintf(stderr, "the two kernels disagree\n");
  return 1;
}
