/* Somebody shortens the data files of an entry after it was found: what was prepared from them runs
 * on, and nobody dies. */
#include "tests/test.h"

#include "tests/caching/part.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIED_OF_SIGBUS (100 + SIGBUS) /* see apart_end */

/* To nothing, or to half. */
static bool shorten(const struct part *part, const uint8_t *token, unsigned parts_left)
{
    const struct place entry = place_of_entry(part->place.path, token);
    const struct place_files list = place_list(&entry);
    bool is_any = false;

    for (uint32_t i = 0; i < list.count; i++) {
        const struct place file = place_in(&entry, list.files[i].name);
        if (strncmp(list.files[i].name, "data-", 5) != 0)
            continue;
        is_any = truncate(file.path, (off_t)(list.files[i].length / 2 * parts_left)) == 0;
    }
    return is_any;
}

/* Makes an entry where there is none, and compiles from it. NULL: that has failed, in words. */
static ANeuralNetworksCompilation *compile_from_cache(const struct part *part,
                                                      struct app_result *result)
{
    const struct app_result first = part_compile(part);
    ANeuralNetworksCompilation *compilation =
        app_is_good(&first) ? app_compile(&part->app, result) : NULL;

    if (compilation && result->cache == HALYARD_CACHE_HIT)
        return compilation;
    fprintf(stderr, "  %s\n", app_words(&part->app, compilation ? result : &first));
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

static bool runs_right(const struct part *part, ANeuralNetworksCompilation *compilation)
{
    struct app app = part->app;

    for (int i = 0; i < 2 * APP_WAY_COUNT; i++) {
        struct app_result result = {.cache = HALYARD_CACHE_HIT};
        app.way = (enum app_way)(i % APP_WAY_COUNT);
        app_run(&app, compilation, &result);
        if (!app_is_good(&result))
            fprintf(stderr, "  way %d: %s\n", (int)app.way, app_words(&app, &result));
        APART_CHECK(app_is_good(&result));
    }
    return true;
}

/* Whether this process has a data file of the entry mapped. */
static bool is_mapped(const uint8_t *token)
{
    const struct place name = place_of_file("", token, "data-");
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
static bool is_mapped_as_it_should(const struct part *part, const uint8_t *token)
{
    const bool is_ours = strcmp(part->device, "halyard-cpu") == 0;
    const bool is_long = part->kind == SUBJECT_HUGE || (is_ours && part->kind == SUBJECT_MAPPED);

    return is_mapped(token) == (is_long && !getenv("HALYARD_ISOLATE"));
}

/* `is_warm`: it has run before. */
static bool run_shortened(const struct part *part, unsigned parts_left, bool is_warm)
{
    struct app_result result;
    ANeuralNetworksCompilation *compilation = compile_from_cache(part, &result);

    APART_CHECK(compilation && (!is_warm || runs_right(part, compilation)));
    const bool was_as_it_should = is_mapped_as_it_should(part, result.token);
    APART_CHECK(shorten(part, result.token, parts_left));
    const bool is_right = runs_right(part, compilation);
    ANeuralNetworksCompilation_free(compilation);
    APART_CHECK(was_as_it_should);
    return is_right;
}

static bool run_all_shortened(void *context)
{
    struct part *part = context;

    APART_CHECK(part_begin(part));
    for (unsigned i = 0; i < 4; i++)
        APART_CHECK(run_shortened(part, i / 2, i % 2));
    return part_is_sane(part);
}

TEST(caching_shortened, a_hit_runs_on_without_its_files)
{
    part_for_each_device(run_all_shortened);
}

/* The app has asked for no cache. */
static bool run_unasked(void *context)
{
    struct part *part = context;

    setenv("HALYARD_CACHE_DIR", part->place.path, 1);
    APART_CHECK(part_begin(part));
    part->app.folder = NULL;
    for (unsigned i = 0; i < 2; i++)
        APART_CHECK(run_shortened(part, i, true));
    return true;
}

TEST(caching_shortened, an_app_that_never_asked_for_a_cache_runs_on)
{
    part_for_each_device(run_unasked);
}

/* ---- Files that are mapped ------------------------------------------------------------------- */

static int run_long(bool (*run)(void *context), enum subject_kind kind, const char *device)
{
    struct part part = part_make(device);

    part.kind = kind;
    const int status = apart_run(run, &part);
    part_remove(&part);
    return status;
}

TEST(caching_shortened, a_hit_whose_files_are_mapped_is_compiled_anew)
{
    EXPECT_INT(run_long(run_all_shortened, SUBJECT_MAPPED, "halyard-cpu"), 0);
    EXPECT_INT(run_long(run_all_shortened, SUBJECT_MAPPED, "halyard-sample-compiled"), 0);
    EXPECT_INT(run_long(run_all_shortened, SUBJECT_HUGE, "halyard-cpu"), 0);
    EXPECT_INT(run_long(run_all_shortened, SUBJECT_HUGE, "halyard-sample-compiled"), 0);
}

static bool run_cut_to_half(void *context)
{
    struct part *part = context;

    return part_begin(part) && run_shortened(part, 1, true);
}

/* As servers do that leave signals to one thread. */
static bool run_with_all_blocked(void *context)
{
    sigset_t all;

    sigfillset(&all);
    APART_CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    return run_cut_to_half(context);
}

TEST(caching_shortened, an_app_that_blocks_all_signals_runs_on)
{
    EXPECT_INT(run_long(run_with_all_blocked, SUBJECT_HUGE, "halyard-cpu"), 0);
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

    APART_CHECK(sigaction(SIGBUS, &action, NULL) == 0);
    APART_CHECK(run_cut_to_half(context) && fault_count == 0);
    for (int i = 0; i < 2; i++) {
        if (sigsetjmp(back, 1) == 0)
            fault();
    }
    APART_CHECK(fault_count == 2);
    return true;
}

static bool die_of_own_fault(void *context)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};

    APART_CHECK(sigaction(SIGBUS, &usual, NULL) == 0);
    APART_CHECK(run_cut_to_half(context));
    fault();
    return true;
}

TEST(caching_shortened, faults_of_the_app_are_the_apps)
{
    EXPECT_INT(run_long(handle_own_faults, SUBJECT_HUGE, "halyard-cpu"), 0);
    EXPECT_INT(run_long(die_of_own_fault, SUBJECT_HUGE, "halyard-cpu"), DIED_OF_SIGBUS);
}
