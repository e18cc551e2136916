#include "driverd/options.h"

#include "common/near_name.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_MODE   0660u
#define LONGEST_IDLE 86400u
#define HELP_COLUMN  24

enum { SHARED, CPU, MANIFEST, SOCKET, MODE, IDLE, PRIVATE, HELP, VERSION, COUNT };

/* The one list of options: parsing, help and completions come from it. */
static const struct {
    const char *name, *argument, *help;
} known[COUNT] = {
    [SHARED] = {"shared", NULL, "serve one driver to all apps; implied by a NAME"},
    [CPU] = {"cpu", NULL, "serve the built-in halyard-cpu"},
    [MANIFEST] = {"manifest", "FILE", "serve the driver of this manifest, an absolute path"},
    [SOCKET] = {"socket", "PATH", "path of the socket; default: driver.socket of the manifest"},
    [MODE] = {"socket-mode", "OCTAL",
              "mode of the socket, which decides who may connect; default 660"},
    [IDLE] = {"idle-seconds", "N", "end after this time without clients; default 0: never"},
    [PRIVATE] = {"private", NULL, "serve the app that started the process (used by the library)"},
    [HELP] = {"help", NULL, "print this text"},
    [VERSION] = {"version", NULL, "print the version"},
};

/* Options for shell completions only. */
static const char *const lists[] = {"list-options", "list-manifests"};

/* ---- Telling --------------------------------------------------------------------------------- */

void hy_driverd_options_help(void)
{
    puts("Usage: halyard-driverd NAME [OPTION]...\n"
         "       halyard-driverd --shared (--manifest FILE | --cpu) [OPTION]...\n"
         "       halyard-driverd --private [DRIVER APP]\n\n"
         "Hosts a driver in a separate process. With a NAME, halyard-driverd serves the driver\n"
         "of the manifest NAME.json to all apps that connect to the socket. Manifests are\n"
         "searched as in apps.\n\n"
         "Options:");
    for (int i = 0; i < COUNT; i++) {
        const int column = printf("  --%s%s%s", known[i].name, known[i].argument ? " " : "",
                                  known[i].argument ? known[i].argument : "");
        printf("%*s%s\n", column < HELP_COLUMN ? HELP_COLUMN - column : 1, "", known[i].help);
    }
    puts(
        "\n"
        "Exit status: 0 ended by a signal or after the idle time; 1 failed, or the process of the\n"
        "driver died; 2 wrong command line.\n"
        "More in halyard-driverd(8).");
}

void hy_driverd_options_list(void)
{
    for (int i = 0; i < COUNT; i++)
        printf("--%s\t%s\t%s\n", known[i].name, known[i].argument ? known[i].argument : "",
               known[i].help);
}

/* ---- Reading --------------------------------------------------------------------------------- */

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

static enum hy_code read_value(int option, const char *value, struct hy_driverd_options *options,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;
    unsigned long number = 0;

    switch (option) {
    case MANIFEST:
        return read_path(known[MANIFEST].name, value, &options->manifest, err);
    case SOCKET:
        return read_path(known[SOCKET].name, value, &options->socket, err);
    case MODE:
        code = read_number(known[MODE].name, value, 8, 0777, &number, err);
        options->socket_mode = (mode_t)number;
        return code;
    case IDLE:
        code = read_number(known[IDLE].name, value, 10, LONGEST_IDLE, &number, err);
        options->idle_seconds = (uint32_t)number;
        return code;
    default:
        return HY_OK;
    }
}

static void fill_table(struct option table[COUNT + 1])
{
    memset(table, 0, (COUNT + 1) * sizeof *table);
    for (int i = 0; i < COUNT; i++)
        table[i] = (struct option){.name = known[i].name,
                                   .has_arg = known[i].argument ? required_argument : no_argument,
                                   .val = i};
}

/* `problem` as getopt_long gives it, with ':' first in its list of short options. */
static enum hy_code refuse(int problem, const char *given, struct hy_error *err)
{
    const char *names[COUNT];
    char word[64];

    if (problem == ':')
        return hy_fail(err, HY_BAD_DATA, "%.64s needs a value", given);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    for (int i = 0; i < COUNT; i++)
        names[i] = known[i].name;
    const char *near = strncmp(word, "--", 2) == 0 ? hy_near_name(word + 2, names, COUNT) : NULL;
    return hy_fail(err, HY_BAD_DATA, "unknown option %.64s%s%s%s", given,
                   near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

/* Parses options into bits. Operands move to the end of argv. */
static enum hy_code read_all(int argc, char **argv, struct hy_driverd_options *options,
                             unsigned *given, struct hy_error *err)
{
    struct option table[COUNT + 1];
    enum hy_code code = HY_OK;
    int option;

    fill_table(table);
    opterr = 0;
    optind = 1;
    while (code == HY_OK && (option = getopt_long(argc, argv, ":", table, NULL)) != -1) {
        if (option == '?' || option == ':')
            return refuse(option, argv[optind - 1], err);
        *given |= 1u << option;
        code = read_value(option, optarg, options, err);
    }
    return code;
}

/* ---- What it comes to ------------------------------------------------------------------------ */

/* True: the command line only asks for a list, for shell completions. */
static bool read_list(int argc, char **argv, struct hy_driverd_options *options)
{
    for (int i = 0; argc == 2 && i < 2; i++) {
        if (strncmp(argv[1], "--", 2) == 0 && strcmp(argv[1] + 2, lists[i]) == 0) {
            options->task = i == 0 ? HY_DRIVERD_LIST_OPTIONS : HY_DRIVERD_LIST_MANIFESTS;
            return true;
        }
    }
    return false;
}

/* Arguments after --private only label the process for ps. */
static bool is_private(int argc, char **argv)
{
    return argc > 1 && strncmp(argv[1], "--", 2) == 0 &&
           strcmp(argv[1] + 2, known[PRIVATE].name) == 0;
}

static enum hy_code finalize_shared(int count, char **operands, unsigned given,
                                    struct hy_driverd_options *options, struct hy_error *err)
{
    options->task = HY_DRIVERD_SHARED;
    options->name = count > 0 ? operands[0] : NULL;
    if (count > 1)
        return hy_fail(err, HY_BAD_DATA, "unexpected argument %.64s", operands[1]);
    if (count == 0 && !(given & 1u << SHARED))
        return hy_fail(err, HY_BAD_DATA, "a NAME, --shared or --private is needed");
    const int drivers =
        (options->name != NULL) + (options->manifest != NULL) + ((given & 1u << CPU) != 0);
    return drivers == 1 ? HY_OK
                        : hy_fail(err, HY_BAD_DATA,
                                  "a shared service needs one of NAME, --manifest and --cpu");
}

enum hy_code hy_driverd_options_read(int argc, char **argv, struct hy_driverd_options *ret,
                                     struct hy_error *err)
{
    struct hy_driverd_options options = {.socket_mode = USUAL_MODE};
    unsigned given = 0;
    enum hy_code code = HY_OK;

    if (is_private(argc, argv)) {
        options.task = HY_DRIVERD_PRIVATE;
    } else if (!read_list(argc, argv, &options)) {
        code = read_all(argc, argv, &options, &given, err);
        if (code == HY_OK && given & (1u << HELP | 1u << VERSION))
            options.task = given & 1u << HELP ? HY_DRIVERD_HELP : HY_DRIVERD_VERSION;
        else if (code == HY_OK && given & 1u << PRIVATE)
            code = hy_fail(err, HY_BAD_DATA, "--private cannot be combined with other options");
        else if (code == HY_OK)
            code = finalize_shared(argc - optind, argv + optind, given, &options, err);
    }
    if (code == HY_OK)
        *ret = options;
    return code;
}
