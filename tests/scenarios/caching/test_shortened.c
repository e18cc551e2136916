/* Somebody shortens the data files of an entry after it was found: what was prepared from them runs
 * on, and nobody dies. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/cache_case.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIED_OF_SIGBUS (100 + SIGBUS) /* see forked_end */

/* To nothing, or to half. */
static bool shorten(const struct cache_case *cache_case, const uint8_t *token, unsigned parts_left)
{
    const struct fs_path entry = path_of_entry(cache_case->fs_path.path, token);
    const struct entry_files list = entry_list_files(&entry);
    bool is_any = false;

    for (uint32_t i = 0; i < list.count; i++) {
        const struct fs_path file = path_in(&entry, list.files[i].name);
        if (strncmp(list.files[i].name, "data-", 5) != 0)
            continue;
        is_any = truncate(file.path, (off_t)(list.files[i].length / 2 * parts_left)) == 0;
    }
    return is_any;
}

/* Makes an entry where there is none, and compiles from it. NULL: that has failed, in words. */
static ANeuralNetworksCompilation *compile_from_cache(const struct cache_case *cache_case,
                                                      struct app_result *result)
{
    const struct app_result first = cache_case_compile(cache_case);
    ANeuralNetworksCompilation *compilation =
        app_is_good(&first) ? app_compile(&cache_case->app, result) : NULL;

    if (compilation && result->cache == HALYARD_CACHE_HIT)
        return compilation;
    fprintf(stderr, "  %s\n", app_describe(&cache_case->app, compilation ? result : &first));
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

static bool runs_right(const struct cache_case *cache_case, ANeuralNetworksCompilation *compilation)
{
    struct app app = cache_case->app;

    for (int i = 0; i < 2 * APP_WAY_COUNT; i++) {
        struct app_result result = {.cache = HALYARD_CACHE_HIT};
        app.way = (enum app_way)(i % APP_WAY_COUNT);
        app_run(&app, compilation, &result);
        if (!app_is_good(&result))
            fprintf(stderr, "  way %d: %s\n", (int)app.way, app_describe(&app, &result));
        FORKED_CHECK(app_is_good(&result));
    }
    return true;
}

/* Whether this process has a data file of the entry mapped. */
static bool is_mapped(const uint8_t *token)
{
    const struct fs_path name = path_of_file("", token, "data-");
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    bool is_there = false;

    while (maps && !is_there && fgets(line, sizeof line, maps))
        is_there = strstr(line, name.path) != NULL;
    if (maps)
        fclose(maps);
    return is_there;
}

/* Files of a driver in this process are: those of a device of ours that are large, and those of
 * other drivers that are huge. */
static bool is_mapped_as_it_should(const struct cache_case *cache_case, const uint8_t *token)
{
    const bool is_ours = strcmp(cache_case->device, "halyard-cpu") == 0;
    const bool is_long =
        cache_case->kind == CACHE_MODEL_HUGE || (is_ours && cache_case->kind == CACHE_MODEL_MAPPED);

    return is_mapped(token) == (is_long && !getenv("HALYARD_ISOLATE"));
}

/* `is_warm`: it has run before. */
static bool run_shortened(const struct cache_case *cache_case, unsigned parts_left, bool is_warm)
{
    struct app_result result;
    ANeuralNetworksCompilation *compilation = compile_from_cache(cache_case, &result);

    FORKED_CHECK(compilation && (!is_warm || runs_right(cache_case, compilation)));
    const bool was_as_it_should = is_mapped_as_it_should(cache_case, result.token);
    FORKED_CHECK(shorten(cache_case, result.token, parts_left));
    const bool is_right = runs_right(cache_case, compilation);
    ANeuralNetworksCompilation_free(compilation);
    FORKED_CHECK(was_as_it_should);
    return is_right;
}

static bool run_all_shortened(void *context)
{
    struct cache_case *cache_case = context;

    FORKED_CHECK(cache_case_begin(cache_case));
    for (unsigned i = 0; i < 4; i++)
        FORKED_CHECK(run_shortened(cache_case, i / 2, i % 2));
    return cache_case_is_usable(cache_case);
}

TEST(caching_shortened, a_hit_runs_on_without_its_files)
{
    cache_case_for_each_device(run_all_shortened);
}

/* The app has asked for no cache. */
static bool run_unasked(void *context)
{
    struct cache_case *cache_case = context;

    setenv("HALYARD_CACHE_DIR", cache_case->fs_path.path, 1);
    FORKED_CHECK(cache_case_begin(cache_case));
    cache_case->app.dir = NULL;
    for (unsigned i = 0; i < 2; i++)
        FORKED_CHECK(run_shortened(cache_case, i, true));
    return true;
}

TEST(caching_shortened, an_app_that_never_asked_for_a_cache_runs_on)
{
    cache_case_for_each_device(run_unasked);
}

/* ---- Files that are mapped ------------------------------------------------------------------- */

static int run_long(bool (*run)(void *context), enum cache_model_kind kind, const char *device)
{
    struct cache_case cache_case = cache_case_make(device);

    cache_case.kind = kind;
    const int status = forked_run(run, &cache_case);
    cache_case_remove(&cache_case);
    return status;
}

TEST(caching_shortened, a_hit_whose_files_are_mapped_is_compiled_anew)
{
    EXPECT_INT(run_long(run_all_shortened, CACHE_MODEL_MAPPED, "halyard-cpu"), 0);
    EXPECT_INT(run_long(run_all_shortened, CACHE_MODEL_MAPPED, "halyard-sample-compiled"), 0);
    EXPECT_INT(run_long(run_all_shortened, CACHE_MODEL_HUGE, "halyard-cpu"), 0);
    EXPECT_INT(run_long(run_all_shortened, CACHE_MODEL_HUGE, "halyard-sample-compiled"), 0);
}

static bool run_cut_to_half(void *context)
{
    struct cache_case *cache_case = context;

    return cache_case_begin(cache_case) && run_shortened(cache_case, 1, true);
}

/* As servers do that leave signals to one thread. */
static bool run_with_all_blocked(void *context)
{
    sigset_t all;

    sigfillset(&all);
    FORKED_CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    return run_cut_to_half(context);
}

TEST(caching_shortened, an_app_that_blocks_all_signals_runs_on)
{
    EXPECT_INT(run_long(run_with_all_blocked, CACHE_MODEL_HUGE, "halyard-cpu"), 0);
}

/* ---- Faults of the app's own ----------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t fault_count;

static void handle(int signal)
{
    fault_count += signal == SIGBUS;
    siglongjmp(back, 1);
}

/* Reads a page behind the end of a file of the app's. */
static void fault(void)
{
    const int fd = memfd_create("empty", MFD_CLOEXEC);
    volatile unsigned char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    close(fd);
    if (page != MAP_FAILED)
        (void)*page;
}

static bool handle_own_faults(void *context)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};

    FORKED_CHECK(sigaction(SIGBUS, &action, NULL) == 0);
    FORKED_CHECK(run_cut_to_half(context) && fault_count == 0);
    for (int i = 0; i < 2; i++) {
        if (sigsetjmp(back, 1) == 0)
            fault();
    }
    FORKED_CHECK(fault_count == 2);
    return true;
}

static bool die_of_own_fault(void *context)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};

    FORKED_CHECK(sigaction(SIGBUS, &usual, NULL) == 0);
    FORKED_CHECK(run_cut_to_half(context));
    fault();
    return true;
}

TEST(caching_shortened, faults_of_the_app_are_the_apps)
{
    EXPECT_INT(run_long(handle_own_faults, CACHE_MODEL_HUGE, "halyard-cpu"), 0);
    EXPECT_INT(run_long(die_of_own_fault, CACHE_MODEL_HUGE, "halyard-cpu"), DIED_OF_SIGBUS);
}
