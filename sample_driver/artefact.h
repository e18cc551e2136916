/*
 * A program as the bytes of its cache files, or of a blob. Steps and tensors make the model cache,
 * constants the data cache. The format is that of this very build, whose name is part of every
 * token: records are written as they are in memory.
 */
#ifndef SAMPLE_ARTEFACT_H
#define SAMPLE_ARTEFACT_H

#include "driver_kit/artefact.h"
#include "program.h"

/* False: out of memory. Call hy_artefact_finish in any case. */
bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct hy_artefact *artefact);

/* The program of such bytes, or NULL: of another length, or out of memory. Constants are used where
 * the artefact has them, which has to outlive the program. */
struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_artefact *artefact);

#endif
