#ifndef HY_TOOLS_COMMANDS_RANKING_H
#define HY_TOOLS_COMMANDS_RANKING_H

#include "tools/session.h"

#define HY_RANKING_SIZE 5

/* The largest elements of an output of classes, in descending order. */
struct hy_ranking {
    uint32_t output;
    bool is_labelled; /* the classes have names */
    bool is_fraction; /* all elements are from 0 to 1: fractions, not scores of any scale */
    uint32_t count;
    struct halyard_rank ranks[HY_RANKING_SIZE]; /* labels belong to the session */
};

/* Sets the class names of an output from a file: of the first output with as many classes as names.
 * HY_BAD_DATA: no output has as many; the error text has the numbers. */
HY_MUST_CHECK enum hy_code hy_ranking_read_labels(struct hy_session *session, const char *path,
                                                  struct hy_error *err);

/* Ranks the first output with as many labels as classes; else the first output whose values look
 * like fractions: one dimension, from 0 to 1, with a sum of 1. `*found` is false without a suitable
 * output. */
HY_MUST_CHECK enum hy_code hy_ranking_make(const struct hy_session *session, bool *found,
                                           struct hy_ranking *out, struct hy_error *err);

/* Prints a line for each label, or for each index without labels, to stdout, with a bar for the
 * fraction. */
void hy_ranking_print(const struct hy_ranking *ranking);

#endif
