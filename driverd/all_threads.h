#ifndef HY_DRIVERD_ALL_THREADS_H
#define HY_DRIVERD_ALL_THREADS_H

#include "common/error.h"

/*
 * Landlock holds for the thread that asks for it and for those that come from it; threads that a
 * driver has started before have to ask themselves. They are made to, by SIGSYS, which is open in
 * every thread of this process (signal_masks.c).
 */

/* Confines all threads there are by a set of rules, a Landlock descriptor: when it returns all of
 * them have been, and so all to come. Errors: FAILED, with the number of those that did not answer
 * within a second; the others are confined. */
HY_MUST_CHECK enum hy_code hy_all_threads_restrict(int ruleset, struct hy_error *err);

/* SIGSYS has its handler: nobody is asked before. */
void hy_all_threads_can_answer(void);

/* What the handler of SIGSYS does with one that was sent from this process. */
void hy_all_threads_answer(void);

#endif
