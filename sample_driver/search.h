/*
 * The costly part of compiling. How weights are best packed depends on the processor and on the
 * extents, so each FULLY_CONNECTED is packed in every form there is and timed. The winner goes into
 * the program, and with it into the cache: a search of many milliseconds that need not be repeated.
 */
#ifndef SAMPLE_SEARCH_H
#define SAMPLE_SEARCH_H

#include "program.h"

/*
 * Makes the program that `plain` becomes when its weights are packed; its answers are the same, bit
 * for bit. Other constants stay where `plain` has them, which has to outlive it. Errors:
 * MISSED_DEADLINE_TRANSIENT, RESOURCE_EXHAUSTED_TRANSIENT.
 */
int32_t sample_search(const struct sample_program *plain, int64_t deadline,
                      struct sample_program **program);

#endif
