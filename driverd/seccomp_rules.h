#ifndef HY_DRIVERD_SECCOMP_RULES_H
#define HY_DRIVERD_SECCOMP_RULES_H

#include "common/error.h"

#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>

/* A filter of system calls under construction. Rules are added without a look at each result: the
 * filter keeps the first failure, and loading it tells. */
struct hy_seccomp_rules {
    scmp_filter_ctx context;
    int failure; /* 0 or a negative errno */
};

/* `usual`: the action for calls without a rule. */
void hy_seccomp_begin(struct hy_seccomp_rules *rules, uint32_t usual);

/* Passed over: a call that this machine does not have. */
void hy_seccomp_add(struct hy_seccomp_rules *rules, uint32_t action, const char *name,
                    unsigned count, const struct scmp_arg_cmp *conditions);

/* Loads the filter, for this thread or for all threads, and frees the rules. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_seccomp_load(struct hy_seccomp_rules *rules, bool all_threads,
                                           struct hy_error *err);

/* What a refused call gets: SIGSYS, where the handler can tell of it, else EPERM. */
uint32_t hy_seccomp_refusal(void);

/* ---- Conditions on one argument -------------------------------------------------------------- */

/* All 64 bits. */
struct scmp_arg_cmp hy_seccomp_equals(unsigned argument, scmp_datum_t value);
struct scmp_arg_cmp hy_seccomp_differs(unsigned argument, scmp_datum_t value);

/* The low 32 bits: all that the kernel looks at in an int. The upper half may hold anything. */
struct scmp_arg_cmp hy_seccomp_equals_int(unsigned argument, uint32_t value);

/* The bits of `mask` are those of `value`. */
struct scmp_arg_cmp hy_seccomp_has_bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value);

#endif
