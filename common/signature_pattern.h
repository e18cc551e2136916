#ifndef HY_COMMON_SIGNATURE_PATTERN_H
#define HY_COMMON_SIGNATURE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Walks a list of operands along a pattern of signatures.def ("123i{4}b?"): init tells whether so
 * many operands fit it, next gives the symbol of one operand after the other.
 */
struct hy_pattern {
    const char *at;   /* the token after the present one */
    uint32_t repeats; /* how many more operands the present token stands for */
    uint32_t surplus; /* operands above the least, for the token with '?', '+' or '*' */
    char symbol;
};

/* False when `count` operands do not fit; the walk is then not to be started. */
bool hy_pattern_init(struct hy_pattern *pattern, const char *text, uint32_t count);

/* The symbol of the next operand. To be called at most `count` times. */
char hy_pattern_next(struct hy_pattern *pattern);

#endif
