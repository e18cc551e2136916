/*
 * cache_compile: the cost of compiling a .tflite model without a cache, with storing in a cache,
 * and from the cache; and the cost of checking the entry's files and of reading the model's
 * constants, the lower limit of a compilation from the cache. The cases run in turns; the figures
 * are medians. Prints a row of the table of docs/cache.md for each model.
 *
 *     cache_compile [--rounds N] [--cpu] [--device NAME]... MODEL...
 *
 * With --cpu the program counts processor time of the process, in all threads: on a busy machine
 * elapsed time says little. HALYARD_CPU_THREADS=1 excludes the time in which threads wait for each
 * other.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <getopt.h>
#include <halyard/halyard.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache_store/digest/content_digest.h"
#include "cache_store/digest/file_digest.h"
#include "cache_store/file_copy.h"
#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/session.h"
#include "tools/stats.h"
#include "tools/temporary_dir.h"

#define ROUNDS     31
#define ROUNDS_MAX 1000

enum figure { COLD, STORING, WARM, FLOOR, COLD_FIRST_RUN, WARM_FIRST_RUN, FIGURES };

struct bench {
    struct hy_session *session;
    const char *path;
    char *dir;
    char entry_dir[PATH_MAX];
    uint32_t rounds;
    clockid_t clock;
    uint64_t *samples[FIGURES];
    uint64_t entry_bytes;
    uint64_t constant_bytes;
    uint8_t seen; /* prevents the compiler from removing a digest */
};

/* ---- The least that has to be done ----------------------------------------------------------- */

static void digest(struct bench *bench, const void *bytes, size_t length)
{
    uint8_t sum[16];

    hy_bytes_digest(bytes, length, sum);
    bench->seen ^= sum[0];
}

struct entry_file {
    char *path;
    size_t length;
    bool steers; /* a model cache file */
};

/* Control data is copied, and the copy is digested with the digest map. */
static enum hy_code check_copy(struct bench *bench, const struct entry_file *file, int fd,
                               struct hy_error *err)
{
    uint8_t sum[HY_DIGEST_SIZE];
    void *copy = malloc(file->length + 1);
    enum hy_code code;

    if (copy && read(fd, copy, file->length) == (ssize_t)file->length) {
        const struct hy_bytes bytes = {.data = copy, .length = file->length};
        code = hy_content_digest(&bytes, 1, NULL, 0, sum, err);
        bench->seen ^= sum[0];
    } else {
        code = hy_fail(err, HY_FAILED, "%s cannot be read", file->path);
    }
    free(copy);
    return code;
}

/* Data of computations is copied and digested in one pass. */
static enum hy_code check_data(struct bench *bench, const struct entry_file *file, int fd,
                               struct hy_error *err)
{
    uint8_t sum[16];
    void *copy = NULL;

    if (file->length == 0)
        return HY_OK;
    enum hy_code code = hy_file_copy_to_memory(fd, file->length, &copy, sum, err);
    if (code != HY_OK)
        return code;
    bench->seen ^= sum[0];
    free(copy);
    return HY_OK;
}

static enum hy_code check_file(struct bench *bench, const struct entry_file *file,
                               struct hy_error *err)
{
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return hy_fail(err, HY_FAILED, "%s cannot be opened", file->path);
    enum hy_code code =
        file->steers ? check_copy(bench, file, fd, err) : check_data(bench, file, fd, err);
    close(fd);
    bench->entry_bytes += file->length;
    return code;
}

enum { FILES_MAX = 64 };

/* The files of all entries in the directory. */
static uint32_t find_files(const struct bench *bench, struct entry_file *files)
{
    char *roots[] = {bench->dir, NULL};
    uint32_t count = 0;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *at; walk && (at = fts_read(walk));) {
        const bool steers = strncmp(at->fts_name, "model-", 6) == 0;
        const bool is_drivers = steers || strncmp(at->fts_name, "data-", 5) == 0;
        if (at->fts_info == FTS_F && is_drivers && count < FILES_MAX)
            files[count++] =
                (struct entry_file){strdup(at->fts_path), (size_t)at->fts_statp->st_size, steers};
    }
    if (walk)
        fts_close(walk);
    return count;
}

/* The constants are nearly all of the file. */
static enum hy_code digest_constants(struct bench *bench, struct hy_error *err)
{
    struct stat info;
    const int fd = open(bench->path, O_RDONLY | O_CLOEXEC);
    void *bytes = fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0
                      ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return hy_fail(err, HY_FAILED, "%s cannot be read", bench->path);
    digest(bench, bytes, (size_t)info.st_size);
    bench->constant_bytes = (uint64_t)info.st_size;
    munmap(bytes, (size_t)info.st_size);
    return HY_OK;
}

static enum hy_code measure_floor(struct bench *bench, const struct entry_file *files,
                                  uint32_t count, uint64_t *ns, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    bench->entry_bytes = bench->constant_bytes = 0;
    const uint64_t start = (uint64_t)hy_clock_read(bench->clock);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = check_file(bench, &files[i], err);
    if (code == HY_OK)
        code = digest_constants(bench, err);
    *ns = (uint64_t)hy_clock_read(bench->clock) - start;
    return code;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

/* `ns[0]`: of compiling, `ns[1]`: and of a first inference. */
static enum hy_code compile(struct bench *bench, uint64_t ns[2], struct hy_error *err)
{
    hy_session_drop_compilation(bench->session);
    const uint64_t start = (uint64_t)hy_clock_read(bench->clock);
    enum hy_code code = hy_session_compile(bench->session, err);
    ns[0] = (uint64_t)hy_clock_read(bench->clock) - start;
    if (code == HY_OK)
        code = hy_session_run(bench->session, err);
    ns[1] = (uint64_t)hy_clock_read(bench->clock) - start;
    return code;
}

/* Checks that each step of the compilation comes from the cache. */
static enum hy_code check_hits(const struct bench *bench, struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(bench->session);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        if (code == HY_OK && step.cache != HALYARD_CACHE_HIT)
            code =
                hy_fail(err, HY_FAILED, "step %u is not from the cache: %s", i, step.cache_reason);
    }
    return code;
}

/* Directories of entries: 0 is read repeatedly, each other directory is for one round. */
static enum hy_code use_entry(struct bench *bench, uint32_t entry, struct hy_error *err)
{
    const int length =
        snprintf(bench->entry_dir, sizeof bench->entry_dir, "%s/%u", bench->dir, entry);
    if (length < 0 || (size_t)length >= sizeof bench->entry_dir ||
        (mkdir(bench->entry_dir, 0700) != 0 && errno != EEXIST))
        return hy_fail(err, HY_FAILED, "%s: no folder for entry %u", bench->dir, entry);
    hy_session_use_cache(bench->session, bench->entry_dir);
    return HY_OK;
}

/* Entry 0 is read repeatedly; the others are only written. Each measured case follows a compilation
 * and a run with other files: the processor's caches hold equally little of entry 0 for each
 * case. */
static enum hy_code run_round(struct bench *bench, uint32_t round, const struct entry_file *files,
                              uint32_t file_count, struct hy_error *err)
{
    uint64_t cold[2], storing[2], warm[2];
    hy_session_use_cache(bench->session, NULL);
    enum hy_code code = compile(bench, cold, err);
    if (code == HY_OK)
        code = measure_floor(bench, files, file_count, &bench->samples[FLOOR][round], err);
    if (code == HY_OK)
        code = use_entry(bench, round + 1, err);
    if (code == HY_OK)
        code = compile(bench, storing, err);
    if (code == HY_OK)
        code = use_entry(bench, 0, err);
    if (code == HY_OK)
        code = compile(bench, warm, err);
    if (code == HY_OK)
        code = check_hits(bench, err);
    if (code != HY_OK)
        return code;
    bench->samples[COLD][round] = cold[0];
    bench->samples[COLD_FIRST_RUN][round] = cold[1];
    bench->samples[STORING][round] = storing[0];
    bench->samples[WARM][round] = warm[0];
    bench->samples[WARM_FIRST_RUN][round] = warm[1];
    return HY_OK;
}

static enum hy_code run_rounds(struct bench *bench, struct hy_error *err)
{
    struct entry_file files[FILES_MAX];
    uint64_t none[2];
    hy_session_fill_inputs(bench->session, 0, HY_NOISE_SEED);
    enum hy_code code = use_entry(bench, 0, err);
    if (code == HY_OK)
        code = compile(bench, none, err);
    hy_session_drop_compilation(bench->session); /* drivers with background writes have finished */
    const uint32_t file_count = code == HY_OK ? find_files(bench, files) : 0;
    for (uint32_t i = 0; code == HY_OK && i < bench->rounds; i++)
        code = run_round(bench, i, files, file_count, err);
    for (uint32_t i = 0; i < file_count; i++)
        free(files[i].path);
    return code;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static double median_us(const struct bench *bench, enum figure figure)
{
    return (double)hy_stats_make(bench->samples[figure], bench->rounds).p50 / 1e3;
}

static void print_row(const struct bench *bench)
{
    const char *slash = strrchr(bench->path, '/');
    const double cold = median_us(bench, COLD), warm = median_us(bench, WARM);
    const double least = median_us(bench, FLOOR);
    const double cold_run = median_us(bench, COLD_FIRST_RUN);
    const double warm_run = median_us(bench, WARM_FIRST_RUN);
    printf("| %s | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.1f | %.2f | %.0f | %.0f | %.1f |\n",
           slash ? slash + 1 : bench->path, (double)bench->constant_bytes / 1e6,
           (double)bench->entry_bytes / 1e6, cold, median_us(bench, STORING), warm, least,
           cold / warm, warm / least, cold_run, warm_run, cold_run / warm_run);
}

static void print_head(uint32_t rounds)
{
    printf("Microseconds, medians of %u rounds; sizes in MB.\n\n"
           "| model | constants | entry | cold | cold, storing | warm | least | cold / warm | "
           "warm / least | cold and a run | warm and a run | ratio |\n"
           "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
           rounds);
}

static enum hy_code measure(struct bench *bench, const struct hy_session_settings *settings,
                            struct hy_error *err)
{
    enum hy_code code = hy_session_open(bench->path, settings, &bench->session, err);
    if (code == HY_OK)
        code = hy_temporary_dir_make(NULL, &bench->dir, err);
    if (code == HY_OK)
        code = run_rounds(bench, err);
    if (code == HY_OK)
        print_row(bench);
    hy_session_close(bench->session);
    hy_temporary_dir_remove(bench->dir);
    fflush(stdout);
    return code;
}

static bool parse(int argc, char **argv, uint32_t *rounds, clockid_t *clock,
                  struct hy_option_list *devices)
{
    static const struct option options[] = {
        {"rounds", required_argument, NULL, 'n'},
        {"device", required_argument, NULL, 'd'},
        {"cpu", no_argument, NULL, 'c'},
        {0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'n')
            *rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            *clock = CLOCK_PROCESS_CPUTIME_ID;
        else if (option == 'd' && devices->count < HY_OPTION_LIST_MAX)
            devices->items[devices->count++] = optarg;
        else
            return false;
    }
    return *rounds > 0 && *rounds <= ROUNDS_MAX && optind < argc;
}

int main(int argc, char **argv)
{
    uint32_t rounds = ROUNDS;
    clockid_t clock = CLOCK_MONOTONIC;
    struct hy_option_list names = {0};
    struct hy_device_selection devices;
    const struct hy_session_settings settings = {.selection = &devices};
    struct hy_error err = {0};
    if (!parse(argc, argv, &rounds, &clock, &names)) {
        fprintf(stderr, "usage: cache_compile [--rounds N] [--cpu] [--device NAME]... MODEL...\n");
        return 2;
    }
    unsetenv("HALYARD_CACHE_DIR"); /* cold is without a cache */
    uint64_t *capacity = calloc((size_t)rounds * FIGURES, sizeof *capacity);
    enum hy_code code = capacity ? hy_device_selection_make(&names, &devices, &err)
                                 : hy_fail(&err, HY_OUT_OF_MEMORY, "%u rounds", rounds);
    if (code == HY_OK)
        print_head(rounds);
    for (int i = optind; code == HY_OK && i < argc; i++) {
        struct bench bench = {.path = argv[i], .rounds = rounds, .clock = clock};
        for (int k = 0; k < FIGURES; k++)
            bench.samples[k] = capacity + (size_t)k * rounds;
        code = measure(&bench, &settings, &err);
    }
    free(capacity);
    if (code != HY_OK)
        fprintf(stderr, "cache_compile: %s\n", err.text);
    return code == HY_OK ? 0 : 1;
}
