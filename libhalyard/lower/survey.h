#ifndef HY_LIBHALYARD_LOWER_SURVEY_H
#define HY_LIBHALYARD_LOWER_SURVEY_H

#include "common/error.h"
#include "libhalyard/graph/graph.h"

/*
 * The lowering of each node of a graph, and all obstacles of a graph: unlike hy_lower, a survey
 * continues after a node without an NNAPI form.
 */
struct hy_survey_node {
    const char
        /* names of NNAPI operations, "SLICE x2, RESHAPE"; "folded": the results are constants or
         * unread; "": no NNAPI form */
        *lowering;
    /* the reason for the lack of an NNAPI form; "" for a node with a form */
    const char *obstacle;
};

struct hy_survey {
    struct hy_arena arena;        /* memory of the texts */
    struct hy_survey_node *nodes; /* one per node of the graph */
};

/* On success the caller finishes the survey. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_survey_make(const struct hy_graph *graph, struct hy_survey *out,
                                          struct hy_error *err);
void hy_survey_finish(struct hy_survey *survey);

#endif
