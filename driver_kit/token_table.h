/*
 * Maps tokens to objects of a device, for the buffer tokens of requests (hy_pool.buffer_token). Any
 * number of threads may use a table at once, without locks.
 *
 * The low bits of a token are the number of a slot, the high bits count the earlier objects of the
 * slot. A slot without unused tokens is only reused after every other slot has used all of its
 * tokens. A token therefore repeats only after 65,535 times the capacity.
 */
#ifndef HY_DRIVER_KIT_TOKEN_TABLE_H
#define HY_DRIVER_KIT_TOKEN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HY_TOKEN_TABLE_LIMIT 65536u /* slots of a table at most */

struct hy_token_slot;

/* An empty table is all zero bytes except `capacity`. */
struct hy_token_table {
    uint32_t capacity; /* maximum number of live objects, at most HY_TOKEN_TABLE_LIMIT */
    _Atomic(struct hy_token_slot *) slots;
    atomic_uint_least32_t used;  /* slots used so far */
    atomic_uint_least64_t idle;  /* stack of used slots that are free */
    atomic_uint_least64_t spent; /* stack of free slots without unused tokens */
};

/* Allocates the slots, unless already allocated. Call before the first hy_token_table_add. Unused
 * pages of the slots take no physical memory. False: out of memory. */
bool hy_token_table_reserve(struct hy_token_table *table);

/* Frees the slots. Precondition: every object is removed and released. */
void hy_token_table_finish(struct hy_token_table *table);

/*
 * Assigns a token above 0 to the object and holds the object until hy_token_table_remove. `*token`
 * is written before another thread can find the object. False: the table is full.
 */
bool hy_token_table_add(struct hy_token_table *table, void *object, uint32_t *token);

/* Holds the object of `token` until hy_token_table_release. NULL: no live object has the token. */
void *hy_token_table_hold(struct hy_token_table *table, uint32_t token);

/* Ends hy_token_table_hold. True: no holder remains, and the caller must free the object. */
bool hy_token_table_release(struct hy_token_table *table, uint32_t token);

/* Removes the token, and ends the hold of hy_token_table_add. True: as above. */
bool hy_token_table_remove(struct hy_token_table *table, uint32_t token);

#endif
