#include "plugins/opening.h"

#include "common/own_thread.h"
#include "plugins/abi.h"
#include "plugins/discovery/filter.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct opening {
    struct hy_openings *openings;
    uint32_t index;
    bool has_thread;
    bool is_over; /* the members below are valid */
    enum hy_code code;
    struct hy_error failure;
    struct hy_plugin *plugin;
};

struct hy_openings {
    const struct hy_discovery *discovery;
    const struct hy_candidate_list *candidates;
    const struct hy_plugin_hosts *hosts;
    pthread_mutex_t lock;
    pthread_cond_t one_is_over;
    struct opening items[]; /* [candidate] */
};

/* ---- One library ----------------------------------------------------------------------------- */

static enum hy_code open_plugin(const struct hy_discovery *discovery,
                                const struct hy_candidate *candidate,
                                const struct hy_plugin_hosts *hosts, struct hy_plugin **out,
                                struct hy_error *err)
{
    const struct hy_plugin_opener opener = {.driver = candidate->name, .guard = discovery->guard};

    if (!candidate->manifest.isolate && !*candidate->manifest.socket &&
        !hy_filter_matches_or_all(discovery->isolate, candidate->name))
        return hy_plugin_open(candidate->library, &candidate->manifest, hosts, &opener, out, err);
    if (!discovery->services)
        return hy_fail(err, HY_FAILED,
                       "the driver needs isolation, which this process does not offer");
    return hy_plugin_open_isolated(candidate->library, &candidate->manifest, hosts,
                                   discovery->services, out, err);
}

static enum hy_code load(const struct hy_openings *openings, uint32_t index, struct hy_plugin **out,
                         struct hy_error *err)
{
    const struct hy_candidate *candidate = &openings->candidates->items[index];
    enum hy_code code = hy_abi_check("abi is", candidate->manifest.abi, err);
    if (code != HY_OK)
        return code;
    code = open_plugin(openings->discovery, candidate, openings->hosts, out, err);
    return code == HY_OK ? code
                         : hy_error_prefix(err, code, "library_path \"%s\"",
                                           candidate->manifest.library_path);
}

/* ---- Side by side ---------------------------------------------------------------------------- */

static void *serve(void *argument)
{
    struct opening *opening = argument;
    struct hy_openings *openings = opening->openings;
    struct hy_plugin *plugin = NULL;

    prctl(PR_SET_NAME, "halyard-open");
    const enum hy_code code = load(openings, opening->index, &plugin, &opening->failure);
    pthread_mutex_lock(&openings->lock);
    opening->code = code;
    opening->plugin = plugin;
    opening->is_over = true;
    pthread_cond_broadcast(&openings->one_is_over);
    pthread_mutex_unlock(&openings->lock);
    return NULL;
}

enum hy_code hy_openings_begin(const struct hy_discovery *discovery,
                               const struct hy_candidate_list *candidates,
                               const struct hy_plugin_hosts *hosts, struct hy_openings **ret,
                               struct hy_error *err)
{
    const uint32_t count = candidates->count;
    struct hy_openings *openings = calloc(1, sizeof *openings + count * sizeof openings->items[0]);
    if (!openings)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u drivers", count);

    openings->discovery = discovery;
    openings->candidates = candidates;
    openings->hosts = hosts;
    pthread_mutex_init(&openings->lock, NULL);
    pthread_cond_init(&openings->one_is_over, NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct opening *opening = &openings->items[i];
        opening->openings = openings;
        opening->index = i;
        opening->has_thread = *candidates->items[i].manifest.socket &&
                              !hy_candidate_is_repeated(candidates, i) &&
                              hy_own_thread_start(serve, opening) == 0;
    }
    *ret = openings;
    return HY_OK;
}

static void await(struct hy_openings *openings, const struct opening *opening)
{
    pthread_mutex_lock(&openings->lock);
    while (!opening->is_over)
        pthread_cond_wait(&openings->one_is_over, &openings->lock);
    pthread_mutex_unlock(&openings->lock);
}

/* Only a candidate with an open driver blocks later candidates with the same library and
 * arguments. */
static enum hy_code load_unless_duplicate(const struct hy_openings *openings, uint32_t index,
                                          struct hy_plugin **ret, struct hy_error *err)
{
    const struct hy_candidate *duplicate = hy_candidate_duplicate(openings->candidates, index);
    if (duplicate)
        return hy_fail(err, HY_BAD_DATA, "same library and arguments as %s", duplicate->path);
    return load(openings, index, ret, err);
}

enum hy_code hy_openings_claim(struct hy_openings *openings, uint32_t index, struct hy_plugin **ret,
                               struct hy_error *err)
{
    struct opening *opening = &openings->items[index];

    if (!opening->has_thread)
        return load_unless_duplicate(openings, index, ret, err);
    await(openings, opening);
    if (opening->code != HY_OK) {
        *err = opening->failure;
        return opening->code;
    }
    *ret = opening->plugin;
    opening->plugin = NULL;
    return HY_OK;
}

/* A thread may still hold the lock after setting is_over; await() takes the lock and so waits until
 * the thread has released the lock. */
void hy_openings_end(struct hy_openings *openings)
{
    if (!openings)
        return;
    for (uint32_t i = 0; i < openings->candidates->count; i++) {
        struct opening *opening = &openings->items[i];
        if (!opening->has_thread)
            continue;
        await(openings, opening);
        hy_plugin_close(opening->plugin);
    }
    pthread_cond_destroy(&openings->one_is_over);
    pthread_mutex_destroy(&openings->lock);
    free(openings);
}
