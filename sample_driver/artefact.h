/*
 * A program as the bytes of cache files or of a blob. Steps and tensors form the model cache,
 * constants the data cache. Records are stored in their memory layout, so the format belongs to one
 * build; the name of the build is part of every cache token.
 */
#ifndef SAMPLE_ARTEFACT_H
#define SAMPLE_ARTEFACT_H

#include "driver_kit/artefact.h"
#include "program.h"

/* Serializes the program. False: out of memory. Call hy_artefact_finish in any case. */
bool sample_artefact_make(const struct sample_program *program, uint32_t data_count,
                          struct hy_artefact *artefact);

/* Restores a program. Constants are not copied, so the artefact must outlive the program. NULL: the
 * bytes have another length, or memory is exhausted. */
struct sample_program *sample_artefact_read(const struct hy_host *host,
                                            const struct hy_artefact *artefact);

#endif
