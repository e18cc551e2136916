/*
 * FROZEN: a driver as a vendor wrote it for version 1.0 of halyard/driver.h, built with the copy of
 * that header beside it and with nothing else of Halyard's. It uses all that 1.0 has. It is never
 * changed to follow a later version: that it goes on working is what it is for.
 *
 * The device adds float32 tensors of known shape (ADD with NONE or RELU).
 */
#ifndef FROZEN_H
#define FROZEN_H

#include <halyard/driver.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MAX_RANK       4u
#define MAX_ELEMENTS   (1u << 24)
#define MOST_TENSORS   256u
#define MOST_STEPS     128u
#define MOST_ARGUMENTS 64u
#define MOST_BUFFERS   64u

/* ---- A compiled model: flat, so that it is its own cache file -------------------------------- */

struct tensor {
    uint32_t rank, dims[MAX_RANK];
    uint32_t count;   /* elements; 0 where no step uses it */
    uint32_t is_read; /* by a step */
    int32_t lifetime;
    uint32_t place; /* of a constant or a temporary: in floats */
    uint32_t reserved;
};

struct step {
    uint32_t a, b, out;
    uint32_t has_relu;
};

struct program {
    char magic[8];
    uint32_t tensor_count, step_count, input_count, output_count;
    uint32_t constant_floats, scratch_floats;
    struct tensor tensors[MOST_TENSORS];
    struct step steps[MOST_STEPS];
    uint32_t inputs[MOST_ARGUMENTS], outputs[MOST_ARGUMENTS];
};

struct device;

struct prepared {
    struct device *device;
    struct program program;
    const float *constants;
    float *own_constants; /* NULL: they lie in what was restored */
    bool has_restored;
    struct hy_restored restored;
};

/* ---- Buffers --------------------------------------------------------------------------------- */

struct role {
    const struct prepared *prepared;
    uint32_t is_output, index;
};

struct buffer {
    struct device *device;
    uint32_t token; /* slot + 1, and above it how often the slot was taken */
    uint32_t rank, dims[MAX_RANK], count;
    atomic_bool is_written;
    atomic_uint holders;
    float *data;
    uint32_t role_count;
    struct role roles[];
};

struct device {
    const struct hy_host *host;
    pthread_mutex_t lock; /* of the slots */
    struct buffer *slots[MOST_BUFFERS];
    uint32_t taken[MOST_BUFFERS];
    atomic_uint gone;  /* memories that the host took back */
    atomic_uint tasks; /* of later, that have run */
};

/* Holds it until frozen_buffer_put; NULL: the token names none. */
struct buffer *frozen_buffer_take(struct device *device, uint32_t token);
void frozen_buffer_put(struct buffer *buffer);

/* ---- What the files give one another --------------------------------------------------------- */

/* model.c: NULL, or why the operation is refused. */
const char *frozen_refusal(const struct hy_host *host, const struct hy_model *model,
                           uint32_t operation);
int32_t frozen_compile(struct prepared *prepared, const struct hy_model *model, const char **why);
bool frozen_program_is_sound(const struct program *program, uint64_t constant_bytes);

/* cache.c */
void frozen_cache_save(struct prepared *prepared, const struct hy_prepare_options *options);
void frozen_cache_renew_later(struct prepared *prepared, const struct hy_prepare_options *options);
int32_t frozen_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **prepared);
void frozen_prepared_destroy(void *prepared);

/* The members of hy_device: run.c, fenced.c, burst.c, serve.c, buffer.c */
int32_t frozen_execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);
int32_t frozen_scratch_needed(void *prepared, struct hy_scratch *scratch);
int32_t frozen_execute_fenced(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced);
int32_t frozen_fenced_result(void *fenced, struct hy_fenced_result *result);
void frozen_fenced_destroy(void *fenced);
int32_t frozen_reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **reusable);
int32_t frozen_reusable_execute(void *reusable, int64_t deadline, struct hy_result *result);
int32_t frozen_reusable_execute_fenced(void *reusable, int64_t deadline, uint64_t duration,
                                       const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                                       void **fenced);
void frozen_reusable_destroy(void *reusable);
int32_t frozen_burst_open(void *prepared, void **burst);
int32_t frozen_burst_execute(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result);
int32_t frozen_burst_serve(void *prepared, const struct hy_burst_queues *queues, void **burst);
void frozen_burst_release(void *burst, uint64_t pool_id);
void frozen_burst_close(void *burst);
int32_t frozen_buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **buffer);
int32_t frozen_buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank);
int32_t frozen_buffer_copy_to(void *buffer, const struct hy_pool *destination);
void frozen_buffer_destroy(void *buffer);

#endif
