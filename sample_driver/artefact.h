/*
 * A program as the bytes of its cache files. What steers an execution (steps, shapes, lengths of
 * the constants) makes the model cache; the constants themselves, numbers that are only computed
 * with, make the data cache: constant number i lies in data file i % count.
 *
 * The format is that of this very build, whose name is part of every token: records are written as
 * they are in memory.
 */
#ifndef SAMPLE_ARTEFACT_H
#define SAMPLE_ARTEFACT_H

#include "program.h"

struct sample_artefact {
    struct hy_bytes model;
    struct hy_bytes data[HY_MAX_CACHE_FILES];
    uint8_t *memory; /* of all of them */
};

/* False: out of memory. Finish it in any case. */
bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct sample_artefact *artefact);
void sample_artefact_finish(struct sample_artefact *artefact);

/*
 * The program of such bytes, or NULL: of another length, or out of memory. Somebody has to vouch
 * for the model's bytes, and they must be private: they are trusted. Constants are used where
 * `data` has them, which has to outlive the program.
 */
struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_bytes *model,
                                            const struct hy_bytes *data, uint32_t data_count);

#endif
