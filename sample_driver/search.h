/*
 * The search for the best packing. The best packing of weights depends on the processor and the
 * extents, so the search packs and times every form for each FULLY_CONNECTED. A search takes many
 * milliseconds. The program stores the winner, and cached programs need no new search.
 */
#ifndef SAMPLE_SEARCH_H
#define SAMPLE_SEARCH_H

#include "program.h"

/*
 * Creates a copy of `plain` with packed weights. Results stay bit-identical. Other constants are
 * not copied; their bytes must outlive the new program. Errors: MISSED_DEADLINE_TRANSIENT,
 * RESOURCE_EXHAUSTED_TRANSIENT.
 */
int32_t sample_search(const struct sample_program *plain, int64_t deadline,
                      struct sample_program **program);

#endif
