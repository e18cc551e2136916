/*
 * A driver that is wrong in one way, which its arguments choose:
 *     {"fault": "type-0", "name": "a", "devices": 2, "faulty": 1, "full": 1}
 * Without a fault it is a correct driver, whose devices take ADD of two float32 tensors of one
 * shape. With "full" it has all optional groups and cache files, takes open extents, and
 * a second ADD to the sum of the first. With
 * several devices their names are a-0, a-1, ..., and only number `faulty` has the fault.
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
    atomic_uint calls; /* of whatever changes its mind */
};

struct instance {
    const struct hy_host *host;
    char fault[64], name[48];
    unsigned devices, full;
    struct device device[MAX_DEVICES];
};

/* An ADD, ready to run; or two, where the sum of the first is the first summand of `next`. */
struct prepared {
    struct device *device;
    uint32_t rank, dims[MAX_RANK]; /* 0: only the request tells */
    uint32_t count;                /* elements; 0 where an extent is open */
    uint32_t input_count;          /* of the model: 1 or 2 */
    const uint8_t *constant;       /* the second summand, where it is no input */
    uint8_t *own;                  /* memory behind it, where it is ours */
    int32_t activation;            /* 0 or 1: RELU */
    struct prepared *next;         /* ours; NULL for one ADD */
    int cache_fd;                  /* of the caller's, used after the call; 0: none */
};

int has_fault(const struct device *device, const char *fault);

/* By SIGSEGV, also in a process of a sanitizer, which would make an exit of it. */
void faulty_crash(void);

/* Faults FUNCTION-crashes, FUNCTION-exits (with status 3) and FUNCTION-hangs: no caller gets its
 * answer. */
void faulty_end(const char *fault, const char *function);

/* The same in a call of the device. */
void faulty_device_end(const struct device *device, const char *function);

/* What a terminal, a log and a report must not get: escape sequences in both of their forms, lines
 * of its own, bytes that are no text, marks that turn text around. */
#define FAULTY_HOSTILE_TEXT \
    "\x1b]0;owned\x07\x1b[2J\r\nhalyard: error: all is lost\n\xc2\x9b" \
    "31m\x9b" \
    "1m\xff\xfe" \
    "\xe2\x80\xae" \
    "txet\xe2\x80\xa8" \
    "end\x7f\x08\t"

/* The same, a thousand times as long. Ends in the middle of a letter. */
const char *faulty_long_hostile_text(void);

/* Faults that begin with "talks" go with lines in the log. */
void faulty_talk(const struct device *device);

int32_t faulty_describe(void *self, struct hy_device_info *info);
int32_t faulty_capabilities(void *self, struct hy_capabilities *capabilities);

int32_t faulty_supported(void *self, const struct hy_model *model, uint8_t *supported,
                         const struct hy_refusals *refusals);
int32_t faulty_prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared);
/* A prepared model of the device with a constant of its own. */
int32_t faulty_make(struct device *device, const struct prepared *step, void **prepared);

/* The cache: see faulty_cache.c. store may note in the step what executions have to look at. */
int32_t faulty_cache_store(struct device *device, struct prepared *step,
                           const struct hy_prepare_options *options);
int faulty_cache_is_there(const struct prepared *prepared);
int32_t faulty_prepare_from_cache(void *self, const struct hy_prepare_options *options,
                                  void **prepared);
void faulty_prepared_destroy(void *prepared);

/* Part of a prepare: see faulty_blobs.c. */
int32_t faulty_blobs_use(const struct device *device);

int32_t faulty_execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

/* The same, with buffers that have been looked at. */
int32_t faulty_execute_model(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result);

/* Adds the optional groups to a table. */
void faulty_add_groups(struct hy_device *table);

/* The group of buffers: see faulty_buffers.c. */
void faulty_add_buffers(struct hy_device *table);

/* The bytes of a live buffer, or NULL. */
float *faulty_buffer_bytes(uint32_t token);

#endif
