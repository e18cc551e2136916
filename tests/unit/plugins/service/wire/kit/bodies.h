#ifndef HY_TESTS_WIRE_BODIES_H
#define HY_TESTS_WIRE_BODIES_H

#include "plugins/service/wire/pack.h"
#include "samples.h"

struct hy_wire_piece;

/* Every body of the protocol, for tests and fuzzers of all bodies. */
struct hy_wire_body {
    const char *name;
    uint32_t kind; /* HY_WIRE_*, with HY_WIRE_REPLY for a reply */
    const struct hy_wire_piece *pieces[3];
};

/* Body number `index`; NULL behind the last. */
const struct hy_wire_body *hy_wire_body(uint32_t index);

/* Packs random values of a body. */
void hy_wire_make(const struct hy_wire_body *body, struct hy_wire_samples *samples,
                  struct hy_pack *out);

/* Reads the body. If well-formed, accesses all referenced data and writes the body again. */
enum hy_code hy_wire_echo(const struct hy_wire_body *body, struct hy_unpack *in,
                          struct hy_pack *out);

/*
 * Checks the rules for arbitrary bytes: the bytes are refused with an error text, or they form a
 * body. A body must read and write the same after one rewrite. Aborts on a violation. `out`
 * receives the rewritten body. The bytes are read from memory of the exact size.
 */
enum hy_code hy_wire_try(const struct hy_wire_body *body, const uint8_t *bytes, size_t size,
                         const int *fds, uint32_t fd_count, struct hy_pack *out,
                         struct hy_error *err);

/* Abort with a text if a view violates the rules of its header. */
void hy_wire_demand_request(const struct hy_request *request);
void hy_wire_demand_model(const struct hy_model *model);

#endif
