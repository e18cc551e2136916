#ifndef HY_CPU_FALLBACK_CACHE_IMAGE_H
#define HY_CPU_FALLBACK_CACHE_IMAGE_H

#include "cpu_fallback/program/graph.h"

/*
 * What an earlier compilation made of a subgraph, beside what its view says: nothing of it is
 * computed again. One entry per operand or operation of the view. The values and the bytes of
 * packed weights live as long as the program. It is not trusted more than the view.
 */
struct hy_cpu_image {
    const void **folded; /* per operand: the value of a temporary that became constant, of
                            just its size, or NULL */
    bool *is_packed;     /* per operand: a constant that exists only as packed weights */
    bool *is_dropped;    /* per operation */
    const struct hy_cpu_packed **packed; /* per operation: its weights, borrowed, or NULL */
    struct hy_cpu_choice *choices;       /* per operation: how its work is cut; NULL: by rule. Of
                                            those only that the image does not drop */
    uint32_t folded_count;               /* of the dropped operations: those that were folded */
    uint32_t dropped_count;              /* the others */
};

/*
 * Puts the image over a graph that has just been made of its view. Afterwards every operation that
 * is not dropped reads only what is there when its turn comes, writes to no constant, and finds
 * those of its constants that exist only packed in its weights. Errors: HY_BAD_DATA,
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_image_apply(const struct hy_cpu_image *image,
                                              struct hy_cpu_graph *graph, struct hy_error *err);

#endif
