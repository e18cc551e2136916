/* Sessions that keep in a folder what they compile. */
#include <ftw.h>
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "networks.h"
#include "tests/kit/test.h"

static char dir[] = "/tmp/halyard-session-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info, (void)kind, (void)position;
    return remove(path);
}

static void remove_dir(void)
{
    (void)nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Before the first call of the library, which reads it: where digests of entries are kept. */
TEST_SETUP(make_dir)
{
    if (mkdtemp(dir) && atexit(remove_dir) == 0)
        setenv("HALYARD_STATE_DIR", dir, 1);
}

static int32_t cache_of_first_step(struct halyard_network *network, const char *cache_dir)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_plan_step step = {.struct_size = sizeof step};
    struct halyard_session *session = NULL;

    options.cache_dir = cache_dir;
    if (halyard_session_create(network, &options, &session) != ANEURALNETWORKS_NO_ERROR) {
        hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
        return -1;
    }
    EXPECT_INT(halyard_compilation_get_step(halyard_session_compilation(session), 0, &step),
               ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    return step.cache;
}

TEST(session_cache, gives_a_session_what_another_has_stored)
{
    struct halyard_network *network = NULL;

    REQUIRE(open_digits(&network));
    EXPECT_INT(cache_of_first_step(network, NULL), HALYARD_CACHE_OFF);
    EXPECT_INT(cache_of_first_step(network, dir), HALYARD_CACHE_STORED);
    EXPECT_INT(cache_of_first_step(network, dir), HALYARD_CACHE_HIT);
    halyard_network_close(network);
}

/* ---- Ahead of time --------------------------------------------------------------------------- */

struct seen {
    uint32_t count;
    int32_t last; /* HALYARD_CACHE_* */
};

static void see(void *context, uint32_t index, const struct halyard_plan_step *step)
{
    struct seen *seen = context;
    EXPECT_INT(index, seen->count);
    seen->count++;
    seen->last = step->cache;
}

/* In a folder that is not there yet. */
static struct halyard_session *open_session(struct halyard_network *network, const char *name,
                                            char path[128])
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;

    snprintf(path, 128, "%s/%s", dir, name);
    options.cache_dir = path;
    options.compile_later = true;
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_NO_ERROR);
    return session;
}

TEST(session_cache, is_filled_ahead_of_time_and_then_valid)
{
    struct halyard_network *network = NULL;
    char path[128];

    REQUIRE(open_digits(&network));
    struct halyard_session *session = open_session(network, "ahead/of/time", path);
    REQUIRE(session != NULL);
    struct seen seen = {0};
    EXPECT_INT(halyard_session_check_cache(session, see, &seen), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "not in the cache");
    EXPECT_INT(seen.count, 0);
    EXPECT_INT(halyard_session_fill_cache(session, see, &seen), ANEURALNETWORKS_NO_ERROR);
    EXPECT(seen.count > 0 && seen.last == HALYARD_CACHE_STORED);
    seen = (struct seen){0};
    EXPECT_INT(halyard_session_check_cache(session, see, &seen), ANEURALNETWORKS_NO_ERROR);
    EXPECT(seen.count > 0 && seen.last == HALYARD_CACHE_HIT);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_fill_cache(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    halyard_network_close(network);
}

TEST(session_cache, only_cached_compiles_nothing)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL, *filler;
    char path[128];

    REQUIRE(open_digits(&network));
    filler = open_session(network, "only", path);
    REQUIRE(filler != NULL);
    options.cache_dir = path;
    options.only_cached = true;
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "not in the cache");
    EXPECT_INT(halyard_session_fill_cache(filler, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    halyard_session_free(filler);
    halyard_network_close(network);
}

TEST(session_cache, without_a_folder_filling_fails)
{
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;

    REQUIRE(open_digits(&network));
    EXPECT_INT(halyard_session_create(network, NULL, &session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_fill_cache(session, NULL, NULL), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "no cache directory");
    EXPECT_INT(halyard_session_fill_cache(NULL, NULL, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_check_cache(NULL, NULL, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    halyard_session_free(session);
    halyard_network_close(network);
}
