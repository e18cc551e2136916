/*
 * Objects of a device by token, as requests name buffers (hy_pool.buffer_token). Any number of
 * threads at once, without locks: executions look tokens up.
 *
 * A token is the number of a slot, and above the number a count of the slot's earlier objects. A
 * slot whose tokens are all spent is reused only after every other slot has spent its own: a token
 * names another object only after 65,535 times the capacity.
 */
#ifndef HY_DRIVER_KIT_TOKEN_TABLE_H
#define HY_DRIVER_KIT_TOKEN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HY_TOKEN_TABLE_LIMIT 65536u /* slots of a table at most */

struct hy_token_slot;

/* All zero bytes with a capacity is an empty table. */
struct hy_token_table {
    uint32_t capacity; /* objects that live at once, at most HY_TOKEN_TABLE_LIMIT */
    _Atomic(struct hy_token_slot *) slots;
    atomic_uint_least32_t used;  /* slots that were ever given out */
    atomic_uint_least64_t idle;  /* stack of used slots without an object */
    atomic_uint_least64_t spent; /* stack of slots without an object and without tokens */
};

/* Allocates the slots unless they are there; before the first hy_token_table_add. Pages of slots
 * that nobody uses cost no memory. False: out of memory. */
bool hy_token_table_reserve(struct hy_token_table *table);

/* Frees the slots. Every object is removed and released. */
void hy_token_table_finish(struct hy_token_table *table);

/*
 * Gives the object a token above 0; the caller holds the object until hy_token_table_remove.
 * `*token` is written before another thread can find the object. False: as many objects live as the
 * capacity allows.
 */
bool hy_token_table_add(struct hy_token_table *table, void *object, uint32_t *token);

/* The object, which lives until hy_token_table_release. NULL: no live object has the token. */
void *hy_token_table_hold(struct hy_token_table *table, uint32_t token);

/* Ends hy_token_table_hold. True: nobody else holds the object, which the caller frees. */
bool hy_token_table_release(struct hy_token_table *table, uint32_t token);

/* Ends hy_token_table_add: the token names nothing from now on. True: as above. */
bool hy_token_table_remove(struct hy_token_table *table, uint32_t token);

#endif
