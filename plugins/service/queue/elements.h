#ifndef HY_PLUGINS_SERVICE_QUEUE_ELEMENTS_H
#define HY_PLUGINS_SERVICE_QUEUE_ELEMENTS_H

#include <stdbool.h>

#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* Writing and reading the elements of a packet in order. */

struct hy_element_writer {
    union hy_element *elements;
    uint32_t space;
    uint64_t count;          /* elements written, with elements beyond the capacity */
    union hy_element beyond; /* target of elements beyond the capacity */
};

/* Appends an element with the tag. All bytes of the element are set, to leak no private memory to
 * the peer. The tag is the first byte of both members of the union. */
static inline union hy_element *hy_element_put(struct hy_element_writer *writer, uint8_t tag)
{
    union hy_element *element =
        writer->count < writer->space ? &writer->elements[writer->count] : &writer->beyond;

    writer->count++;
    *element = (union hy_element){.words = {0}};
    element->request.tag = tag;
    return element;
}

struct hy_element_reader {
    const union hy_element *next;
    const union hy_element *end;
};

/* Returns the next element and moves on, if the element has the tag; otherwise NULL. */
static inline const union hy_element *hy_element_get(struct hy_element_reader *reader, uint8_t tag)
{
    return reader->next < reader->end && reader->next->request.tag == tag ? reader->next++ : NULL;
}

/* hy_request_operand_fits(datum), hy_result_output_fits(datum), ... return whether the numbers of
 * an element are inside the limits of elements.def. */

/* clang-format off */
#define WITHIN(number, least, most) ((__int128)(number) >= (least) && (__int128)(number) <= (most))

#define BEGIN(member) \
    FITS(member) \
    { \
        const __typeof__(datum->member) *at = &datum->member; \
        (void)at; \
        return
#define END(member) \
        true; \
    }
#define ONE(type, member, least, most, note) \
    FITS(member) \
    { \
        return WITHIN(datum->member, least, most); \
    }
#define NUMBER(type, m, note)
#define LIMIT(type, m, least, most, note) WITHIN(at->m, least, most) &&
#define ZERO(m, count)
#define TEXT(member, size, note)

#define FITS(member) \
    static inline bool hy_request_##member##_fits(const struct hy_request_datum *datum)
#define REQUEST_MEMBERS
#include "plugins/service/queue/elements.def"
#undef FITS

#define FITS(member) \
    static inline bool hy_result_##member##_fits(const struct hy_result_datum *datum)
#define RESULT_MEMBERS
#include "plugins/service/queue/elements.def"
#undef FITS

/* clang-format on */
#undef WITHIN
#undef BEGIN
#undef NUMBER
#undef LIMIT
#undef END
#undef ONE
#undef ZERO
#undef TEXT

#endif
