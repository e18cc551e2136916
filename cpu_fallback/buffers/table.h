#ifndef HY_CPU_FALLBACK_BUFFERS_TABLE_H
#define HY_CPU_FALLBACK_BUFFERS_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/error.h"

#define HY_CPU_BUFFERS_MOST 65536u /* that live at once */

struct hy_cpu_buffer;
struct hy_cpu_buffer_slot;

/*
 * The live buffers of a device, by token. Any number of threads at once, without locks: executions
 * look tokens up. All zero bytes is an empty table.
 *
 * A token is the number of a slot, and above that how often the slot has been given out. A slot
 * that has had all of its tokens rests until no other has one left: a token names another buffer
 * only after four billion of them.
 */
struct hy_cpu_buffer_table {
    const struct hy_host *host; /* that is asked for the memory of buffers, or NULL */
    atomic_uint_least32_t used; /* slots, that have ever been given out */
    _Atomic(struct hy_cpu_buffer_slot *) slots; /* all there can be; made for the first buffer */
    atomic_uint_least64_t idle;                 /* a stack of used ones without a buffer */
    atomic_uint_least64_t spent;                /* the same, of those without tokens */
};

/* Of an empty table. */
void hy_cpu_buffer_table_finish(struct hy_cpu_buffer_table *table);

/* Gives the buffer a token above 0, and holds it. Errors: HY_EXHAUSTED (too many live),
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_buffer_table_add(struct hy_cpu_buffer_table *table,
                                                   struct hy_cpu_buffer *buffer, uint32_t *token,
                                                   struct hy_error *err);

/* The buffer, which then stays until it is released once more. NULL: there is none of that token,
 * or no longer. */
struct hy_cpu_buffer *hy_cpu_buffer_table_hold(struct hy_cpu_buffer_table *table, uint32_t token);

/* True: it was the last to hold the buffer, which is the caller's to free. */
bool hy_cpu_buffer_table_release(struct hy_cpu_buffer_table *table, uint32_t token);

/* The same for whoever has added it, and from now on nobody finds it. */
bool hy_cpu_buffer_table_remove(struct hy_cpu_buffer_table *table, uint32_t token);

#endif
