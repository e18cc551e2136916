#ifndef HY_PLUGINS_LIST_H
#define HY_PLUGINS_LIST_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Makes room for one more item behind `count` items: the room doubles whenever the count reaches a
 * power of two, so nothing but the count needs to be kept. NULL when out of memory; the old items
 * are then as before.
 */
static inline void *hy_list_grow(void *items, uint32_t count, size_t item_size)
{
    if (count & (count - 1)) /* not a power of two: there is room left */
        return items;
    size_t room = count ? (size_t)count * 2 : 1;
    return reallocarray(items, room, item_size);
}

#endif
