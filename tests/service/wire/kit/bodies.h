#ifndef HY_TESTS_WIRE_BODIES_H
#define HY_TESTS_WIRE_BODIES_H

#include "plugins/service/wire/pack.h"
#include "samples.h"

struct hy_wire_piece;

/* Every body of the protocol: what the tests and fuzzers of all of them go through. */
struct hy_wire_body {
    const char *name;
    uint32_t kind; /* HY_WIRE_*, of an answer with HY_WIRE_ANSWER */
    const struct hy_wire_piece *pieces[3];
};

/* Number `index`; NULL behind the last. */
const struct hy_wire_body *hy_wire_body(uint32_t index);

/* Packs a body by chance. */
void hy_wire_make(const struct hy_wire_body *body, struct hy_wire_samples *samples,
                  struct hy_pack *out);

/* Reads the body and, where the body is well-formed, walks over all that it refers to and writes it
 * again. */
enum hy_code hy_wire_echo(const struct hy_wire_body *body, struct hy_unpack *in,
                          struct hy_pack *out);

/*
 * What holds for any bytes at all: they are refused with words, or they are a body, which reads
 * and writes the same once it has been written. Aborts where that does not hold. `out` takes what
 * was written. The bytes are read from memory of just their size.
 */
enum hy_code hy_wire_try(const struct hy_wire_body *body, const uint8_t *bytes, size_t size,
                         const int *fds, uint32_t fd_count, struct hy_pack *out,
                         struct hy_error *err);

/* Aborts with words where a view is not what its header promises. */
void hy_wire_demand_request(const struct hy_request *request);
void hy_wire_demand_model(const struct hy_model *model);

#endif
