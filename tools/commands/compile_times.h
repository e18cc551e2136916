#ifndef HY_TOOLS_COMMANDS_COMPILE_TIMES_H
#define HY_TOOLS_COMMANDS_COMPILE_TIMES_H

#include "tools/session.h"
#include "tools/stats.h"

/* The compile times of a model, with and without a cache. */
struct hy_compile_times {
    uint32_t compilations; /* of each kind */
    struct hy_stats cold;
    /* at least one step comes from the cache; the following members are then measured */
    bool is_cached;
    struct hy_stats storing; /* cold compilation, with storing in the cache */
    struct hy_stats cached;  /* compilation from the cache */
    char reason[256];        /* the reason for uncached steps; "" if all steps are cached */
};

/*
 * Compiles `out->compilations` times, in turns: cold, storing, cached. If a step is not stored
 * after the storing compilation, the model is run once, untimed, on the session's inputs: a device
 * that compiles just in time stores its entry during a run. Entries stay in the directory `folder`.
 * At the end the session has a compilation without a cache.
 */
HY_MUST_CHECK enum hy_code hy_compile_times_make(struct hy_session *session, const char *dir,
                                                 struct hy_compile_times *out,
                                                 struct hy_error *err);

#endif
