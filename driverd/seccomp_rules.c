#include "driverd/seccomp_rules.h"

#include "driverd/refusals.h"

#include <errno.h>
#include <string.h>

uint32_t hy_seccomp_refusal(void)
{
    return hy_refusals_can_be_reported() ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM);
}

void hy_seccomp_begin(struct hy_seccomp_rules *rules, uint32_t usual)
{
    rules->context = seccomp_init(usual);
    rules->failure = rules->context ? 0 : -ENOMEM;
}

void hy_seccomp_add(struct hy_seccomp_rules *rules, uint32_t action, const char *name,
                    unsigned count, const struct scmp_arg_cmp *conditions)
{
    const int number = seccomp_syscall_resolve_name(name);
    if (rules->failure || number < 0) /* unknown here: there is nothing to allow */
        return;
    rules->failure = seccomp_rule_add_array(rules->context, action, number, count, conditions);
}

enum hy_code hy_seccomp_load(struct hy_seccomp_rules *rules, bool all_threads, struct hy_error *err)
{
    if (!rules->failure && all_threads)
        rules->failure = seccomp_attr_set(rules->context, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!rules->failure)
        rules->failure = seccomp_load(rules->context);
    if (rules->context)
        seccomp_release(rules->context);
    return rules->failure ? hy_fail(err, HY_FAILED, "seccomp: %s", strerror(-rules->failure))
                          : HY_OK;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

struct scmp_arg_cmp hy_seccomp_equals(unsigned argument, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value};
}

struct scmp_arg_cmp hy_seccomp_differs(unsigned argument, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_NE, .datum_a = value};
}

struct scmp_arg_cmp hy_seccomp_equals_int(unsigned argument, uint32_t value)
{
    return hy_seccomp_has_bits(argument, UINT32_MAX, value);
}

struct scmp_arg_cmp hy_seccomp_has_bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){
        .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}
