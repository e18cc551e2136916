#ifndef HY_TOOLS_RANKING_H
#define HY_TOOLS_RANKING_H

#include "tools/session.h"

/* The names of a classifier's outputs, one per line of a file. */
struct hy_labels {
    uint32_t count;
    char **names;
    char *text; /* that the names point into */
};

/* Takes a zeroed struct. Empty lines at the end do not count. Errors name the path. */
HY_MUST_CHECK enum hy_code hy_labels_load(const char *path, struct hy_labels *out,
                                          struct hy_error *err);
void hy_labels_finish(struct hy_labels *labels);

struct hy_rank {
    const char *label;
    uint32_t index;
    double percent; /* 100 times the output's real value */
};

#define HY_RANKING_SIZE 5

/* The highest outputs, best first; among equals the first of the file. */
struct hy_ranking {
    uint32_t count;
    struct hy_rank ranks[HY_RANKING_SIZE];
};

/* HY_BAD_DATA: no output has as many elements as there are labels; the text has the numbers. */
HY_MUST_CHECK enum hy_code hy_ranking_make(const struct hy_session *session,
                                           const struct hy_labels *labels, struct hy_ranking *out,
                                           struct hy_error *err);

/* A bar per label, to stdout. */
void hy_ranking_print(const struct hy_ranking *ranking);

#endif
