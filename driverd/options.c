#include "driverd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_MODE   0660u
#define LONGEST_IDLE 86400u

static enum hy_code read_number(const char *name, const char *text, int base, unsigned long most,
                                unsigned long *ret, struct hy_error *err)
{
    char *end = NULL;

    errno = 0;
    *ret = strtoul(text, &end, base);
    if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && *ret <= most)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   base == 8 ? "--%s is \"%.32s\", needs an octal number up to %lo"
                             : "--%s is \"%.32s\", needs a number up to %lu",
                   name, text, most);
}

static enum hy_code read_path(const char *name, const char *text, const char **ret,
                              struct hy_error *err)
{
    *ret = text;
    return text[0] == '/' ? HY_OK
                          : hy_fail(err, HY_BAD_DATA, "--%s is \"%.200s\", needs an absolute path",
                                    name, text);
}

enum { PRIVATE, SHARED, CPU, MANIFEST, SOCKET, MODE, IDLE };

static const struct option known[] = {
    {"private", no_argument, NULL, PRIVATE},
    {"shared", no_argument, NULL, SHARED},
    {"cpu", no_argument, NULL, CPU},
    {"manifest", required_argument, NULL, MANIFEST},
    {"socket", required_argument, NULL, SOCKET},
    {"socket-mode", required_argument, NULL, MODE},
    {"idle-seconds", required_argument, NULL, IDLE},
    {0},
};

static enum hy_code read_value(int option, const char *value, struct hy_driverd_options *options,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;
    unsigned long number = 0;

    switch (option) {
    case MANIFEST:
        return read_path("manifest", value, &options->manifest, err);
    case SOCKET:
        return read_path("socket", value, &options->socket, err);
    case MODE:
        code = read_number("socket-mode", value, 8, 0777, &number, err);
        options->socket_mode = (mode_t)number;
        return code;
    case IDLE:
        code = read_number("idle-seconds", value, 10, LONGEST_IDLE, &number, err);
        options->idle_seconds = (uint32_t)number;
        return code;
    default:
        return HY_OK;
    }
}

/* Which of the flags were given, as bits. */
static enum hy_code read_all(int argc, char **argv, struct hy_driverd_options *options,
                             unsigned *given, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    int option;

    opterr = 0;
    optind = 1;
    while (code == HY_OK && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == '?')
            return hy_fail(err, HY_BAD_DATA, "%s is not known, or has no value", argv[optind - 1]);
        *given |= 1u << option;
        code = read_value(option, optarg, options, err);
    }
    if (code == HY_OK && optind < argc)
        code = hy_fail(err, HY_BAD_DATA, "%s is too much", argv[optind]);
    return code;
}

enum hy_code hy_driverd_options_read(int argc, char **argv, struct hy_driverd_options *ret,
                                     struct hy_error *err)
{
    struct hy_driverd_options options = {.socket_mode = USUAL_MODE};
    unsigned given = 0;

    enum hy_code code = read_all(argc, argv, &options, &given, err);
    if (code != HY_OK)
        return code;
    options.is_private = given == 1u << PRIVATE;
    if (!options.is_private && (!(given & 1u << SHARED) || (given & 1u << PRIVATE)))
        return hy_fail(err, HY_BAD_DATA, "either --private alone, or --shared");
    if (!options.is_private && !options.manifest == !(given & 1u << CPU))
        return hy_fail(err, HY_BAD_DATA, "--shared needs either --manifest or --cpu");
    *ret = options;
    return HY_OK;
}
