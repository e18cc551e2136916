#ifndef HY_PLUGINS_SERVICE_QUEUE_ELEMENTS_H
#define HY_PLUGINS_SERVICE_QUEUE_ELEMENTS_H

#include <stdbool.h>

#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* The elements of a packet, one after the other. */

struct hy_element_writer {
    union hy_element *elements;
    uint32_t room;
    uint64_t count;          /* of all, those too for which there is no room */
    union hy_element beyond; /* where those go */
};

/* A tag is the first byte of both unions. All bytes of an element are set: what lies in ours must
 * not show. */
static inline union hy_element *hy_element_put(struct hy_element_writer *writer, uint8_t tag)
{
    union hy_element *element =
        writer->count < writer->room ? &writer->elements[writer->count] : &writer->beyond;

    writer->count++;
    *element = (union hy_element){.words = {0}};
    element->request.tag = tag;
    return element;
}

struct hy_element_reader {
    const union hy_element *next;
    const union hy_element *end;
};

/* The next element, if it has the tag, else NULL. */
static inline const union hy_element *hy_element_get(struct hy_element_reader *reader, uint8_t tag)
{
    return reader->next < reader->end && reader->next->request.tag == tag ? reader->next++ : NULL;
}

/* hy_request_operand_fits(datum), hy_result_output_fits(datum), ...: whether the numbers of an
 * element are inside the limits of their rows. */

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
