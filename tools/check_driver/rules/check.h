#ifndef HY_TOOLS_CHECK_DRIVER_RULES_CHECK_H
#define HY_TOOLS_CHECK_DRIVER_RULES_CHECK_H

#include "common/clock.h"
#include "tools/check_driver/models.h"
#include "tools/check_driver/request_case.h"
#include "tools/check_driver/result_page.h"
#include "tools/check_driver/target.h"

/* A running check, in a separate process. */
struct hy_check {
    const struct hy_target *target;
    const struct hy_model_list *models;
    struct hy_result_page *page;
    uint32_t device_index;

    /* Valid after hy_check_create and hy_check_open. */
    struct hy_driver driver;
    void *instance;
    struct hy_device table; /* zero beyond the end of the driver's own table */
    void *device;
    struct hy_device_info info;
    char text[96]; /* the driver's text for the last failed prepare; else "" */
};

/* ---- The driver ------------------------------------------------------------------------------ */

/* Loads the library and finds its symbol; the error text comes from the dynamic linker. */
HY_MUST_CHECK enum hy_code hy_library_load(const char *path, hy_driver_query_fn *query,
                                           struct hy_error *err);

/* Copies the driver's table, with zeros beyond its end. The table covers at least the members of
 * version 1.0; an earlier check has tested that. */
void hy_driver_copy(const struct hy_driver *driver, struct hy_driver *copy);

/* Loads the library and makes an instance. Earlier checks have succeeded in both; a failure is a
 * finding about M7. Nothing is closed: the process ends with the check. */
bool hy_check_create(struct hy_check *check);

/* As hy_check_create, and opens the device. */
bool hy_check_open(struct hy_check *check);

/* ---- Watched calls: side effects that break a rule are findings (B6) ------------------------- */

/* Makes an instance; false with a finding about `rule` after a failure. */
bool hy_call_create(struct hy_check *check, enum hy_rule rule, void **instance);

int32_t hy_call_supported(struct hy_check *check, const struct hy_model *model, uint8_t *supported,
                          const struct hy_refusals *refusals);
int32_t hy_call_prepare(struct hy_check *check, const struct hy_model *model, int64_t deadline,
                        void **prepared);
int32_t hy_call_execute(struct hy_check *check, void *prepared, struct hy_request_case *test_case);

/* Checks that a call may return the status; else a finding about B6. `call` names the call in the
 * text. */
void hy_check_status(struct hy_check *check, const char *call, int32_t status);

/* True if the device supports the whole model. */
bool hy_call_supports(struct hy_check *check, const struct hy_model *model);

/* ---- Models for checks ----------------------------------------------------------------------- */

/* A model that the device supports, prepared, with a request. */
struct hy_sample {
    const struct hy_vector *vector;
    struct hy_model_view model_view;
    void *prepared;
    struct hy_request_case test_case;
};

/* The largest number of models for a slow check: one per operation. */
#define HY_SAMPLES_MAX 12u

/* The next supported model from `*next` on, at most one per operation; NULL after the last. `*next`
 * starts at 0. */
const struct hy_vector *hy_next_sample(const struct hy_check *check, uint32_t *next);

/* Prepares a model and makes a request. A failure is a finding about `rule`. The caller must finish
 * the sample in both cases. */
bool hy_sample_make(struct hy_check *check, enum hy_rule rule, const struct hy_vector *vector,
                    const struct hy_request_case_form *form, struct hy_sample *out);
void hy_sample_finish(struct hy_check *check, struct hy_sample *sample);

/* Runs the sample again over fresh memory and checks the results: an error is a finding about
 * `rule`, with the text of the last step. */
bool hy_sample_run(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample);

/* ---- The checks ------------------------------------------------------------------------------ */

void hy_check_library(struct hy_check *check);        /* M1 to M7 */
void hy_check_device(struct hy_check *check);         /* D1 to D9 */
void hy_check_description(struct hy_check *check);    /* D4 to D9, for hy_check_device */
void hy_check_supported(struct hy_check *check);      /* B1 to B3 */
void hy_check_prepare(struct hy_check *check);        /* B4, B6 */
void hy_check_invalid_models(struct hy_check *check); /* B5 */
void hy_check_execute(struct hy_check *check);        /* B8 to B12 */
void hy_check_deadlines(struct hy_check *check);      /* B7 */
void hy_check_memory(struct hy_check *check);         /* B13, B14, B26 */
void hy_check_requests(struct hy_check *check);       /* B15 */
void hy_check_small_outputs(struct hy_check *check);  /* B16 */
void hy_check_threads(struct hy_check *check);        /* B17 */
void hy_check_times(struct hy_check *check);          /* B18 */
void hy_check_leaks(struct hy_check *check);          /* B19 */
void hy_check_bursts(struct hy_check *check);         /* B20 */
void hy_check_reusable(struct hy_check *check);       /* B21 */
void hy_check_fenced(struct hy_check *check);         /* B22 */
void hy_check_buffers(struct hy_check *check);        /* B23 */
void hy_check_buffer_states(struct hy_check *check);  /* B36 */
void hy_check_buffer_create(struct hy_check *check);  /* B33, B35 */
void hy_check_buffer_use(struct hy_check *check);     /* B34 */
void hy_check_buffer_copies(struct hy_check *check);  /* B37 */
void hy_check_buffer_threads(struct hy_check *check); /* B38 */
void hy_check_images(struct hy_check *check);         /* B39 */
void hy_check_cache(struct hy_check *check);          /* B24 */
void hy_check_cache_restored(struct hy_check *check); /* B30, B7 */
void hy_check_cache_changed(struct hy_check *check);  /* B31 */
void hy_check_cache_owned(struct hy_check *check);    /* B32 */
void hy_check_open_extents(struct hy_check *check);   /* B27 */
void hy_check_scratch(struct hy_check *check);        /* B28 */
void hy_check_quota(struct hy_check *check);          /* B40 */
void hy_check_blobs(struct hy_check *check);          /* B41 */
void hy_check_chains(struct hy_check *check);         /* B29 */
void hy_check_wait(struct hy_check *check);           /* B25 */
void hy_check_vectors(struct hy_check *check);        /* V1 */

#endif
