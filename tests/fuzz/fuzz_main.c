#include "tests/fuzz/fuzz.h"

#include "common/array.h"
#include "common/random.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/*
 * Runs a fuzzer without libFuzzer:
 *
 *     fuzz_x FILE|FOLDER...   these inputs
 *     fuzz_x [RUNS]           mutations of the fuzzer's own seeds, the same in every run
 *     fuzz_x --seconds N      mutations for so long, others in every run
 *     fuzz_x --seed N         the mutations that such a run has printed the seed of
 *     fuzz_x --seeds FOLDER   writes the seeds there, as files that libFuzzer can begin with
 *
 * With HALYARD_FUZZ_KEEP in the environment each input is written to the file `fuzz-failure` in the
 * working folder before it runs: after a crash of any kind, that is the one.
 */
#define DEFAULT_SEED UINT64_C(1)

enum { DEFAULT_RUNS = 20000, MOST_BYTES = 64 << 20, LONGER = 32 << 10 };

struct input {
    uint8_t *bytes;
    size_t length;
    size_t capacity; /* for a mutation */
};

static int save(const struct input *input, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    const size_t written = fwrite(input->bytes, 1, input->length, file);
    return fclose(file) != 0 || written != input->length;
}

/* The bytes are copied to memory of just their size: a sanitizer sees a read behind the end. */
static void run_one(const struct input *input)
{
    static int saves_input = -1;
    if (saves_input < 0)
        saves_input = getenv("HALYARD_FUZZ_KEEP") != NULL;
    if (saves_input)
        (void)save(input, "fuzz-failure");
    uint8_t *copy = malloc(input->length ? input->length : 1);
    if (!copy)
        abort();
    memcpy(copy, input->bytes, input->length);
    LLVMFuzzerTestOneInput(copy, input->length);
    free(copy);
}

static int run_file(const char *path, long length)
{
    FILE *file = fopen(path, "rb");
    struct input input = {.bytes = malloc((size_t)length + 1)};
    if (!file || !input.bytes || length > MOST_BYTES) {
        fprintf(stderr, "cannot read %s\n", path);
        if (file)
            fclose(file);
        free(input.bytes);
        return 1;
    }
    input.length = fread(input.bytes, 1, (size_t)length, file);
    fclose(file);
    run_one(&input);
    free(input.bytes);
    return 0;
}

static int run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode))
        return run_file(path, (long)info.st_size);

    DIR *dir = opendir(path);
    int failed = dir == NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (stat(inner, &info) == 0 && S_ISREG(info.st_mode))
            failed |= run_file(inner, (long)info.st_size);
    }
    if (dir)
        closedir(dir);
    return failed;
}

/* Values at which sizes, signs and offsets turn over. */
static uint32_t interesting(uint64_t number)
{
    static const uint32_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      7,
                                      8,
                                      127,
                                      128,
                                      255,
                                      256,
                                      32767,
                                      32768,
                                      65535,
                                      65536,
                                      0x3fffffff,
                                      0x40000000,
                                      0x7fffffff,
                                      1u << 31,
                                      UINT32_MAX - 3,
                                      UINT32_MAX - 1,
                                      UINT32_MAX};
    return values[number % (sizeof values / sizeof values[0])];
}

static void overwrite(struct input *input, struct hy_random *random, size_t size)
{
    if (input->length < size)
        return;
    uint32_t value = interesting(hy_random_next(random));
    size_t at = hy_random_next(random) % (input->length - size + 1);
    if (hy_random_next(random) % 4 != 0)
        at -= at % size; /* where a format aligns, most fields are aligned */
    memcpy(input->bytes + at, &value, size);
}

static void copy_within(struct input *input, struct hy_random *random)
{
    const size_t length = hy_random_next(random) % 32 % (input->length + 1);
    const size_t from = hy_random_next(random) % (input->length - length + 1);
    const size_t to = hy_random_next(random) % (input->length - length + 1);
    memmove(input->bytes + to, input->bytes + from, length);
}

static void mutate(struct input *input, struct hy_random *random)
{
    if (input->length == 0)
        return;
    const size_t at = hy_random_next(random) % input->length;
    switch (hy_random_next(random) % 8) {
    case 0:
    case 1:
        input->bytes[at] ^= (uint8_t)(1U << hy_random_next(random) % 8);
        break;
    case 2:
        input->bytes[at] = (uint8_t)hy_random_next(random);
        break;
    case 3:
        overwrite(input, random, 2);
        break;
    case 4:
    case 5:
        overwrite(input, random, 4);
        break;
    case 6:
        copy_within(input, random);
        break;
    default:
        if (hy_random_next(random) % 8 == 0)
            input->length = at;
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    static struct hy_random random;
    struct input input = {data, size, most};

    mutate(&input, &random);
    return input.length;
}

#pragma weak LLVMFuzzerCustomMutator
static void change(struct input *input, struct hy_random *random)
{
    if (LLVMFuzzerCustomMutator)
        input->length = LLVMFuzzerCustomMutator(input->bytes, input->length, input->capacity,
                                                (unsigned)hy_random_next(random));
    else
        mutate(input, random);
}

static void run_mutation(const struct input *seed, struct hy_random *random)
{
    struct input input = {.length = seed->length, .capacity = seed->length + LONGER};

    input.bytes = malloc(input.capacity);
    if (!input.bytes)
        abort();
    memcpy(input.bytes, seed->bytes, seed->length);
    for (uint64_t changes = 1 + hy_random_next(random) % 4; changes > 0; changes--)
        change(&input, random);
    run_one(&input);
    free(input.bytes);
}

/* All seeds of the fuzzer, of MOST_BYTES together at most: a fuzzer with more is told, so that none
 * is left out in silence. */
struct seeds {
    struct input *at;
    unsigned count;
    size_t bytes;
};

static void free_seeds(struct seeds *seeds)
{
    for (unsigned i = 0; i < seeds->count; i++)
        free(seeds->at[i].bytes);
    free(seeds->at);
}

static bool add_seed(struct seeds *seeds, const struct input *seed)
{
    if (seed->length > MOST_BYTES - seeds->bytes)
        return false;
    struct input *grown = hy_array_grow(seeds->at, seeds->count, sizeof *grown);
    if (!grown)
        return false;
    seeds->at = grown;
    seeds->at[seeds->count++] = *seed;
    seeds->bytes += seed->length;
    return true;
}

static bool make_seeds(struct seeds *seeds)
{
    struct input seed = {0};

    while ((seed.bytes = hy_fuzz_seed(seeds->count, &seed.length)) != NULL) {
        if (add_seed(seeds, &seed))
            continue;
        free(seed.bytes);
        fprintf(stderr, "seed %u brings the seeds above %d bytes\n", seeds->count, MOST_BYTES);
        return false;
    }
    return seeds->count > 0;
}

/* So many, or until then: a time of 0 is none. */
static int run_mutations(unsigned long runs, time_t end, uint64_t seed)
{
    struct hy_random random = {seed};
    struct seeds seeds = {0};
    unsigned long done = 0;

    if (!make_seeds(&seeds)) {
        free_seeds(&seeds);
        return 1;
    }
    for (unsigned i = 0; i < seeds.count; i++)
        run_one(&seeds.at[i]);
    for (; end ? time(NULL) < end : done < runs; done++)
        /* There are seeds. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
        run_mutation(&seeds.at[done % seeds.count], &random);
    printf("%lu mutations of %u seeds\n", done, seeds.count);
    free_seeds(&seeds);
    return 0;
}

static int run_for(unsigned long seconds)
{
    const uint64_t seed = (uint64_t)time(NULL);

    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    return run_mutations(0, time(NULL) + (time_t)seconds, seed);
}

static int write_seeds(const char *dir)
{
    struct input seed;
    int failed = 0;

    for (unsigned i = 0; (seed.bytes = hy_fuzz_seed(i, &seed.length)) != NULL; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%u", dir, i);
        failed |= save(&seed, path);
        free(seed.bytes);
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0)
        return write_seeds(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
        return run_for(strtoul(argv[2], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "--seed") == 0)
        return run_mutations(ULONG_MAX, 0, strtoull(argv[2], NULL, 10));
    char *end = "";
    const unsigned long runs = argc == 2 ? strtoul(argv[1], &end, 10) : DEFAULT_RUNS;
    if (argc == 1 || (argc == 2 && *argv[1] && !*end))
        return run_mutations(runs, 0, DEFAULT_SEED);

    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_path(argv[i]);
    return failed;
}
