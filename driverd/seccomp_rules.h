#ifndef HY_DRIVERD_SECCOMP_RULES_H
#define HY_DRIVERD_SECCOMP_RULES_H

#include "common/error.h"

#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>

/* A seccomp filter under construction. Functions that add rules return no result: the filter stores
 * the first failure, and hy_seccomp_load reports it. */
struct hy_seccomp_rules {
    scmp_filter_ctx context;
    int failure; /* 0 or a negative errno */
};

/* Starts a filter. `usual` is the action for calls without a rule. */
void hy_seccomp_begin(struct hy_seccomp_rules *rules, uint32_t usual);

/* Adds a rule for the call `name`. Calls unknown on this architecture are skipped. */
void hy_seccomp_add(struct hy_seccomp_rules *rules, uint32_t action, const char *name,
                    unsigned count, const struct scmp_arg_cmp *conditions);

/* Loads the filter, for this thread or for all threads, and frees the rules. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_seccomp_load(struct hy_seccomp_rules *rules, bool all_threads,
                                           struct hy_error *err);

/* The action for a refused call: SCMP_ACT_TRAP (SIGSYS) if the architecture has a handler, else
 * EPERM. */
uint32_t hy_seccomp_refusal(void);

/* ---- Conditions on one argument -------------------------------------------------------------- */

/* Compares all 64 bits. */
struct scmp_arg_cmp hy_seccomp_equals(unsigned argument, scmp_datum_t value);
struct scmp_arg_cmp hy_seccomp_differs(unsigned argument, scmp_datum_t value);

/* Compares the low 32 bits, the part of an int argument that the kernel reads. The upper bits may
 * have any value. */
struct scmp_arg_cmp hy_seccomp_equals_int(unsigned argument, uint32_t value);

/* True if the bits of `mask` in the argument equal `value`. */
struct scmp_arg_cmp hy_seccomp_has_bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value);

#endif
