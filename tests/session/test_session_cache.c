/* Sessions that keep in a folder what they compile. */
#include <ftw.h>
#include <halyard/halyard.h>
#include <stdlib.h>
#include <unistd.h>

#include "networks.h"
#include "tests/test.h"

static char folder[] = "/tmp/halyard-session-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Before the first call of the library, which reads it: where digests of entries are kept. */
__attribute__((constructor)) static void make_folder(void)
{
    if (mkdtemp(folder) && atexit(remove_folder) == 0)
        setenv("HALYARD_STATE_DIR", folder, 1);
}

static int32_t cache_of_first_step(struct halyard_network *network, const char *cache_folder)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_plan_step step = {.struct_size = sizeof step};
    struct halyard_session *session = NULL;

    options.cache_folder = cache_folder;
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
    EXPECT_INT(cache_of_first_step(network, folder), HALYARD_CACHE_STORED);
    EXPECT_INT(cache_of_first_step(network, folder), HALYARD_CACHE_HIT);
    halyard_network_close(network);
}
