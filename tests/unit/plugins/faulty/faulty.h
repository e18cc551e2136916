/*
 * A driver with one fault, chosen by its arguments:
 *
 *     {"fault": "type-0", "name": "a", "devices": 2, "faulty": 1, "full": 1}
 *
 * Without a fault the driver is correct. Its devices support ADD of two float32 tensors of the same
 * shape. With "full" a device has all optional groups and cache files, and supports unknown extents
 * and a second ADD to the sum of the first. With several devices the names are a-0, a-1, ..., and
 * only device number `faulty` has the fault.
 */
#ifndef FAULTY_H
#define FAULTY_H

#include <halyard/driver.h>

#include <stdatomic.h>

#define MAX_DEVICES 4
#define MAX_RANK    4

struct device {
    struct instance *instance;
    char name[64];
    int is_faulty;
    struct hy_device table;
    atomic_uint calls; /* of functions with changing results */
};

struct instance {
    const struct hy_host *host;
    char fault[64], name[48];
    unsigned devices, full;
    struct device device[MAX_DEVICES];
};

/* A prepared ADD, or two: the sum of the first is the first summand of `next`. */
struct prepared {
    struct device *device;
    uint32_t rank, dims[MAX_RANK]; /* 0: set by the request */
    uint32_t count;                /* elements; 0 for an unknown extent */
    uint32_t input_count;          /* of the model: 1 or 2 */
    const uint8_t *constant;       /* second summand unless an input */
    uint8_t *own;                  /* owned memory of `constant`, or NULL */
    int32_t activation;            /* 0 or 1: RELU */
    struct prepared *next;         /* owned; NULL for a single ADD */
    int cache_fd;                  /* the caller's descriptor, used after the call; 0: none */
};

int has_fault(const struct device *device, const char *fault);

/* Crashes with SIGSEGV and the default action. A sanitizer's handler would exit instead. */
void faulty_crash(void);

/* Ends or blocks the process for the faults FUNCTION-crashes, FUNCTION-exits (with status 3) and
 * FUNCTION-hangs. */
void faulty_end(const char *fault, const char *function);

/* Like faulty_end, for a function of the device. */
void faulty_device_end(const struct device *device, const char *function);

/* Text not allowed in terminals, logs and reports: escape sequences in both forms, line breaks,
 * invalid UTF-8, and marks for the text direction. */
#define FAULTY_HOSTILE_TEXT \
    "\x1b]0;owned\x07\x1b[2J\r\nhalyard: error: all is lost\n\xc2\x9b" \
    "31m\x9b" \
    "1m\xff\xfe" \
    "\xe2\x80\xae" \
    "txet\xe2\x80\xa8" \
    "end\x7f\x08\t"

/* FAULTY_HOSTILE_TEXT a thousand times. Ends inside of a character. */
const char *faulty_long_hostile_text(void);

/* Logs hostile lines if the fault begins with "talks". */
void faulty_talk(const struct device *device);

int32_t faulty_describe(void *self, struct hy_device_info *info);
int32_t faulty_capabilities(void *self, struct hy_capabilities *capabilities);

int32_t faulty_supported(void *self, const struct hy_model *model, uint8_t *supported,
                         const struct hy_refusals *refusals);
int32_t faulty_prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared);
/* A prepared model of the device with its own copy of the constant. */
int32_t faulty_make(struct device *device, const struct prepared *step, void **prepared);

/* The cache, see faulty_cache.c. faulty_cache_store can note a file in `step` for checks by
 * executions. */
int32_t faulty_cache_store(struct device *device, struct prepared *step,
                           const struct hy_prepare_options *options);
int faulty_cache_is_there(const struct prepared *prepared);
int32_t faulty_prepare_from_cache(void *self, const struct hy_prepare_options *options,
                                  void **prepared);
void faulty_prepared_destroy(void *prepared);

/* A part of prepare, see faulty_blobs.c. */
int32_t faulty_blobs_use(const struct device *device);

int32_t faulty_execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

/* Like faulty_execute, after the check of the buffers. */
int32_t faulty_execute_model(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result);

/* Adds the optional groups to a table. */
void faulty_add_groups(struct hy_device *table);

/* The buffer group, see faulty_buffers.c. */
void faulty_add_buffers(struct hy_device *table);

/* The bytes of a live buffer, or NULL. */
float *faulty_buffer_bytes(uint32_t token);

#endif
