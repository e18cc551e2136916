#ifndef HY_CPU_FALLBACK_CACHE_COMPILED_VIEW_H
#define HY_CPU_FALLBACK_CACHE_COMPILED_VIEW_H

#include "cpu_fallback/program/graph.h"

/*
 * The restored results of an earlier compilation of a subgraph; none of them is computed again.
 * Arrays have one entry per operand or operation of the view. Values and packed weights must live
 * as long as the program. The contents are trusted no more than the view.
 */
struct hy_cpu_compiled_view {
    /* Per operand: the value of a folded temporary, with the length of its shape; or NULL. */
    const void **folded;
    bool *is_packed;                     /* per operand: a constant that exists only packed */
    bool *is_dropped;                    /* per operation */
    const struct hy_cpu_packed **packed; /* per operation: packed weights, borrowed, or NULL */
    /* Per operation: its blocking; NULL: the rule decides. Set only for operations that are not
     * dropped. */
    struct hy_cpu_blocking *blockings;
    uint32_t folded_count;  /* dropped operations that were folded */
    uint32_t dropped_count; /* all other dropped operations */
};

/*
 * Applies the image to a new graph of the same view, and checks it: every remaining operation reads
 * only operands with a value, writes to no constant, and has packed weights for each input that
 * exists only packed. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code
hy_cpu_compiled_view_apply(const struct hy_cpu_compiled_view *compiled_view,
                           struct hy_cpu_graph *graph, struct hy_error *err);

#endif
