#ifndef HY_LIBHALYARD_LOWER_SURVEY_H
#define HY_LIBHALYARD_LOWER_SURVEY_H

#include "common/error.h"
#include "libhalyard/graph/graph.h"

/*
 * How each node of a graph is lowered, and all that stops a graph: unlike hy_lower, a survey goes
 * on behind a node without an NNAPI form.
 */
struct hy_survey_node {
    const char
        *lowering; /* names of NNAPI operations, "SLICE x2, RESHAPE"; "folded" where the results are
                      constants or nobody reads them; "" where there is no form */
    const char *obstacle; /* why there is no form; "" where there is one */
};

struct hy_survey {
    struct hy_arena arena;        /* of the texts */
    struct hy_survey_node *nodes; /* one per node of the graph */
};

/* On success the caller finishes the survey. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_survey_make(const struct hy_graph *graph, struct hy_survey *out,
                                          struct hy_error *err);
void hy_survey_finish(struct hy_survey *survey);

#endif
