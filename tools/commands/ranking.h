#ifndef HY_TOOLS_COMMANDS_RANKING_H
#define HY_TOOLS_COMMANDS_RANKING_H

#include "tools/session.h"

#define HY_RANKING_SIZE 5

/* The highest elements of an output of classes, best first. */
struct hy_ranking {
    uint32_t output;
    bool is_labelled; /* the classes have names */
    bool is_fraction; /* all elements are from 0 to 1: shares, and not scores of any scale */
    uint32_t count;
    struct halyard_rank ranks[HY_RANKING_SIZE]; /* labels are the session's */
};

/* Gives the classes of an output the names in a file: the first output with as many. HY_BAD_DATA:
 * there is none; the text has the numbers. */
HY_MUST_CHECK enum hy_code hy_ranking_read_labels(struct hy_session *session, const char *path,
                                                  struct hy_error *err);

/* Ranks the first output with as many labels as classes, else the first that is shares of classes
 * by its values: one dimension, from 0 to 1, 1 in all. `*found` tells whether there is one. */
HY_MUST_CHECK enum hy_code hy_ranking_make(const struct hy_session *session, bool *found,
                                           struct hy_ranking *out, struct hy_error *err);

/* A line for each label, or for each index where there are none, to stdout; with a bar for its
 * share. */
void hy_ranking_print(const struct hy_ranking *ranking);

#endif
