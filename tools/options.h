#ifndef HY_TOOLS_OPTIONS_H
#define HY_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The command line of a subcommand, defined once: the definition drives the parsing (getopt_long),
 * the text of usage errors, and the help.
 */
enum hy_option_kind {
    HY_OPTION_FLAG,          /* bool */
    HY_OPTION_TEXT,          /* const char *; the last occurrence counts */
    HY_OPTION_LIST,          /* struct hy_option_list; may be repeated */
    HY_OPTION_COUNT,         /* uint32_t, 1 and above */
    HY_OPTION_COUNT_OR_NONE, /* uint32_t, 0 and above */
    HY_OPTION_BYTES,         /* uint64_t; see common/byte_count.h */
    /* int32_t; the index, from 0 on, of a word in `argument`, whose words are separated by '|' */
    HY_OPTION_ENUM,
};

#define HY_OPTION_LIST_MAX 64

struct hy_option_list {
    uint32_t count;
    const char *items[HY_OPTION_LIST_MAX];
};

struct hy_option {
    const char *name; /* "device": written --device */
    enum hy_option_kind kind;
    const char *argument; /* "NAME", for the help; NULL for a flag */
    const char *help;
    void *value; /* pointer to the type of the kind; unchanged for an absent option */
};

struct hy_syntax {
    const char *command;  /* "run" */
    const char *operands; /* "MODEL", for the help; "" for none */
    const char *about;    /* a few lines */
    uint32_t operands_min;
    uint32_t operands_max;
    size_t option_count;
    const struct hy_option *options;
};

/*
 * Parses argv[1..]; after the call the operands are argv[*first] and all later elements. Options
 * may stand between operands. False: the command must exit with `*status`: after a usage error,
 * with a message on stderr; after --help; or after --list-options, which shell completions use.
 */
bool hy_options_parse(const struct hy_syntax *syntax, int argc, char **argv, int *first,
                      int *status);

#endif
