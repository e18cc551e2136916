#ifndef HY_TOOLS_COMMANDS_COMPILE_TIMES_H
#define HY_TOOLS_COMMANDS_COMPILE_TIMES_H

#include "tools/session.h"
#include "tools/stats.h"

/* What a model takes to compile, without a cache and with one. */
struct hy_compile_times {
    uint32_t compilations; /* of each kind */
    struct hy_stats cold;
    bool is_cached;          /* some step comes from the cache; what follows is measured then */
    struct hy_stats storing; /* cold, and what is made goes into the cache */
    struct hy_stats cached;  /* from there */
    char reason[256];        /* why what is not cached is not; "" if all is */
};

/*
 * Compiles `out->compilations` times, in turns: cold, storing, cached. Where storing has left a
 * step that is not stored the model is run once, untimed, from the session's inputs: a device that
 * compiles just in time stores it then. `folder`: for an entry each, which stay there. The session
 * has a compilation without a cache in the end.
 */
HY_MUST_CHECK enum hy_code hy_compile_times_make(struct hy_session *session, const char *folder,
                                                 struct hy_compile_times *out,
                                                 struct hy_error *err);

#endif
